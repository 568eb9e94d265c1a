// MNIST: the convolutional network of CNTK's tutorial for handwritten digits. CNTK names a layer by
// its kind and a number of its own, and adds biases as layers.

#include "zoo/builder.h"
#include "zoo/zoo.h"

namespace benanza::zoo {
namespace {

std::string output(const std::string& node) { return node + "_Output_0"; }

LayerName named(const std::string& kind, int number) {
  const std::string node = kind + std::to_string(number);
  return {node, output(node)};
}

/// A 5x5 convolution numbered `number`, its bias and its Relu.
Tensor conv_relu(ModelBuilder& model, const Tensor& x, int number, int parameter,
                 std::int64_t filters) {
  const std::string kernel = "Parameter" + std::to_string(parameter);
  const std::string bias = "Parameter" + std::to_string(parameter + 1);
  Tensor y = model.conv(named("Convolution", number), x,
                        {.filters = filters, .window = {.kernel = 5, .pads = {2, 2}}},
                        {.kernel = kernel, .bias = std::nullopt});
  y = model.add(named("Plus", number + 2), y, model.weight(bias, {filters, 1, 1}, Use::bias));
  return model.relu(named("ReLU", number + 4), y);
}

void layers(ModelBuilder& model) {
  Tensor x = model.input("Input3", {1, 28, 28});
  const Tensor stored = model.weight("Parameter193", {16, 4, 4, 10}, Use::kernel, 256);
  const Tensor kernel = model.reshape({"Times212_reshape1", "Parameter193_reshape1"}, stored,
                                      "Parameter193_reshape1_shape", {256, 10});
  x = conv_relu(model, x, 28, 5, 8);
  x = model.max_pool(named("Pooling", 66), x, {.kernel = 2, .stride = 2});
  x = conv_relu(model, x, 110, 87, 16);
  x = model.max_pool(named("Pooling", 160), x, {.kernel = 3, .stride = 3});
  x = model.reshape({"Times212_reshape0", "Pooling160_Output_0_reshape0"}, x,
                    "Pooling160_Output_0_reshape0_shape", {-1, 256});
  x = model.matmul(named("Times", 212), x, kernel);
  const Tensor bias = model.weight("Parameter194", {1, 10}, Use::bias);
  model.output(model.add(named("Plus", 214), x, bias));
}

}  // namespace

std::vector<Model> mnist() { return {{"mnist", "MNIST", layers}}; }

}  // namespace benanza::zoo
