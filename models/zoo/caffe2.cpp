#include "models/zoo/caffe2.h"

namespace benanza::zoo {
namespace {

struct Versioned {
  std::string blob;
  int version;
};

Versioned split(const std::string& name) {
  const std::size_t mark = name.rfind('_');
  return {name.substr(0, mark), std::stoi(name.substr(mark + 1))};
}

std::string next_version(const std::string& name) {
  const auto [blob, version] = split(name);
  return blob + "_" + std::to_string(version + 1);
}

}  // namespace

LayerName Caffe2::numbered(const std::string& op, const std::string& output) {
  return {op + "_" + std::to_string(++counts_[op]), output};
}

Tensor Caffe2::conv(const std::string& blob, const Tensor& x, const Conv& conv, bool bias) {
  LayerName name = numbered("conv", first(blob));
  if (conv.groups != 1) {
    name.node = "conv" + std::to_string(counts_["conv"]) + "_" + std::to_string(conv.groups);
  }
  LinearWeights weights{.kernel = weight(blob, "w"), .bias = std::nullopt};
  if (bias) {
    weights.bias = weight(blob, "b");
  }
  return model_.conv(name, x, conv, weights);
}

Tensor Caffe2::per_channel(const std::string& name, std::int64_t channels, Use use) {
  return model_.unsqueeze(numbered("unsqueeze", dummy()), model_.weight(name, {channels}, use),
                          {1, 2});
}

Tensor Caffe2::batch_norm_scale(const std::string& blob, const std::string& scale,
                                const Tensor& x) {
  Tensor y = model_.batch_norm(numbered("batchnormalization", first(blob)), x,
                               {.scale = weight(blob, "scale"),
                                .bias = weight(blob, "bias"),
                                .mean = weight(blob, "mean"),
                                .variance = weight(blob, "var")});
  const std::string result = scale == blob ? next_version(y.name) : first(scale);
  const std::int64_t channels = x.dims.at(1);
  const Tensor factor = per_channel(weight(scale, "w"), channels, Use::scale);
  y = model_.multiply(numbered("mul", first(scale + "_internal")), y, factor);
  const Tensor addend = per_channel(weight(scale, "b"), channels, Use::bias);
  return model_.add(numbered("add", result), y, addend);
}

Tensor Caffe2::batch_norm(const std::string& blob, const Tensor& x) {
  return model_.batch_norm(numbered("batchnormalization", first(blob)), x,
                           {.scale = weight(blob, "s"),
                            .bias = weight(blob, "b"),
                            .mean = weight(blob, "rm"),
                            .variance = weight(blob, "riv")});
}

Tensor Caffe2::relu(const Tensor& x) {
  return model_.relu(numbered("relu", next_version(x.name)), x);
}

Tensor Caffe2::max_pool(const std::string& blob, const Tensor& x, const Window& window) {
  return model_.max_pool(numbered("maxpool", first(blob)), x, window);
}

Tensor Caffe2::average_pool(const std::string& blob, const Tensor& x, const Window& window) {
  return model_.average_pool(numbered("averagepool", first(blob)), x, window);
}

Tensor Caffe2::global_average_pool(const std::string& blob, const Tensor& x) {
  return model_.global_average_pool(numbered("globalaveragepool", first(blob)), x);
}

Tensor Caffe2::lrn(const std::string& blob, const Tensor& x, const Lrn& lrn) {
  return model_.lrn(numbered("lrn", first(blob)), x, lrn);
}

Tensor Caffe2::concat(const std::string& blob, const std::vector<Tensor>& parts) {
  return model_.concat(numbered("concat", first(blob)), parts);
}

Tensor Caffe2::dropout(const Tensor& x, float ratio) {
  const std::string blob = split(x.name).blob;
  return model_.dropout(numbered("dropout", next_version(x.name)), x, ratio,
                        "_" + blob + "_mask_1");
}

Tensor Caffe2::sum(const std::string& blob, const std::vector<Tensor>& terms) {
  return model_.sum(numbered("sum", first(blob)), terms);
}

Tensor Caffe2::shuffle(const std::string& blob, const Tensor& x, std::int64_t groups) {
  const std::int64_t channels = x.dims.at(1);
  const std::int64_t height = x.dims.at(2);
  const std::int64_t width = x.dims.at(3);
  std::string output = dummy();
  Tensor y = model_.reshape(numbered("reshape", output), x, dummy(),
                            {-1, groups, channels / groups, height, width});
  output = dummy();
  y = model_.transpose(numbered("transpose", output), y, {0, 2, 1, 3, 4});
  return model_.reshape(numbered("reshape", first(blob)), y, dummy(),
                        {-1, channels, height, width});
}

Tensor Caffe2::flatten(const Tensor& x) {
  if (x.dims.size() == 2) {
    return x;
  }
  // The original has 1 x features; -1 keeps the features and allows any batch.
  const std::int64_t features = x.dims.at(1) * x.dims.at(2) * x.dims.at(3);
  const std::string output = dummy();
  return model_.reshape(numbered("reshape", output), x, dummy(), {-1, features});
}

Tensor Caffe2::dense(const std::string& weights, const std::string& output, const Tensor& x,
                     std::int64_t units) {
  return model_.gemm(numbered("gemm", first(output)), flatten(x), units,
                     {.kernel = weight(weights, "w"), .bias = weight(weights, "b")});
}

Tensor Caffe2::dense_4d(const std::string& blob, const Tensor& x, std::int64_t units) {
  const Tensor flat = flatten(x);
  const std::int64_t features = flat.dims[1];
  const Tensor stored =
      model_.weight(weight(blob, "w"), {1, 1, units, features}, Use::kernel, features);
  const std::string output = dummy();
  const Tensor kernel =
      model_.reshape(numbered("reshape", output), stored, dummy(), {units, features});
  return model_.gemm(numbered("gemm", first(blob)), flat, kernel, weight(blob, "b"));
}

Tensor Caffe2::softmax(const std::string& blob, const Tensor& x) {
  return model_.softmax(numbered("softmax", first(blob)), x);
}

}  // namespace benanza::zoo
