#include "models/zoo/cntk.h"

namespace benanza::zoo {
namespace {

std::string parameter_name(int number) { return "Parameter" + std::to_string(number); }
std::string constant_name(int number) { return "Constant" + std::to_string(number); }

}  // namespace

LayerName Cntk::named(const std::string& kind, int number) {
  const std::string node = kind + std::to_string(number);
  return {node, node + "_Output_0"};
}

Tensor Cntk::conv_relu(int number, int parameter, const Tensor& x, const Conv& conv) {
  Tensor y = model_.conv(named("Convolution", number), x, conv,
                         {.kernel = parameter_name(parameter), .bias = std::nullopt});
  y = plus(number + 2, y, parameter + 1, {conv.filters, 1, 1});
  return relu(number + 4, y);
}

Tensor Cntk::max_pool(int number, const Tensor& x, const Window& window) {
  return model_.max_pool(named("Pooling", number), x, window);
}

Tensor Cntk::dropout(int number, const Tensor& x, float ratio) {
  return model_.dropout(named("Dropout", number), x, ratio);
}

Tensor Cntk::minus(int number, const Tensor& x, int constant) {
  return model_.subtract(named("Minus", number), x,
                         model_.weight(constant_name(constant), {}, Use::mean));
}

Tensor Cntk::over(int number, const Tensor& x, int constant) {
  // The only block that the exporter did not name after its operation.
  return model_.divide(named("Block", number), x,
                       model_.weight(constant_name(constant), {}, Use::scale));
}

Tensor Cntk::plus(int number, const Tensor& x, int parameter, const Dims& dims) {
  return model_.add(named("Plus", number), x,
                    model_.weight(parameter_name(parameter), dims, Use::bias));
}

Tensor Cntk::image_kernel(int number, int parameter, const Dims& image, std::int64_t units) {
  const std::int64_t features = element_count(image);
  Dims dims = image;
  dims.push_back(units);
  const std::string name = parameter_name(parameter);
  const Tensor stored = model_.weight(name, dims, Use::kernel, features);
  const std::string output = name + "_reshape1";
  return model_.reshape({named("Times", number).node + "_reshape1", output}, stored,
                        output + "_shape", {features, units});
}

Tensor Cntk::kernel(int parameter, std::int64_t features, std::int64_t units) {
  return model_.weight(parameter_name(parameter), {features, units}, Use::kernel, features);
}

Tensor Cntk::times(int number, const Tensor& x, const Tensor& kernel) {
  Tensor flat = x;
  if (x.dims.size() != 2) {
    // The original has a batch of 1.
    const std::string output = x.name + "_reshape0";
    flat = model_.reshape({named("Times", number).node + "_reshape0", output}, x, output + "_shape",
                          {-1, kernel.dims.at(0)});
  }
  return model_.matmul(named("Times", number), flat, kernel);
}

}  // namespace benanza::zoo
