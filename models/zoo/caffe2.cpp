#include "zoo/caffe2.h"

namespace benanza::zoo {
namespace {

std::string first_version(const std::string& blob) { return blob + "_1"; }

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
  LayerName name = numbered("conv", first_version(blob));
  if (conv.groups != 1) {
    name.node = "conv" + std::to_string(counts_["conv"]) + "_" + std::to_string(conv.groups);
  }
  LinearWeights weights{.kernel = blob + "_w_0", .bias = std::nullopt};
  if (bias) {
    weights.bias = blob + "_b_0";
  }
  return model_.conv(name, x, conv, weights);
}

Tensor Caffe2::per_channel(const std::string& name, std::int64_t channels, Use use) {
  return model_.unsqueeze(numbered("unsqueeze", dummy()), model_.weight(name, {channels}, use),
                          {1, 2});
}

Tensor Caffe2::batch_norm_scale(const std::string& blob, const std::string& scale,
                                const Tensor& x) {
  Tensor y = model_.batch_norm(numbered("batchnormalization", first_version(blob)), x,
                               {.scale = blob + "_scale_0",
                                .bias = blob + "_bias_0",
                                .mean = blob + "_mean_0",
                                .variance = blob + "_var_0"});
  const std::string result = scale == blob ? next_version(y.name) : first_version(scale);
  const std::int64_t channels = x.dims.at(1);
  const Tensor factor = per_channel(scale + "_w_0", channels, Use::scale);
  y = model_.multiply(numbered("mul", first_version(scale + "_internal")), y, factor);
  const Tensor addend = per_channel(scale + "_b_0", channels, Use::bias);
  return model_.add(numbered("add", result), y, addend);
}

Tensor Caffe2::relu(const Tensor& x) {
  return model_.relu(numbered("relu", next_version(x.name)), x);
}

Tensor Caffe2::max_pool(const std::string& blob, const Tensor& x, const Window& window) {
  return model_.max_pool(numbered("maxpool", first_version(blob)), x, window);
}

Tensor Caffe2::average_pool(const std::string& blob, const Tensor& x, const Window& window) {
  return model_.average_pool(numbered("averagepool", first_version(blob)), x, window);
}

Tensor Caffe2::global_average_pool(const std::string& blob, const Tensor& x) {
  return model_.global_average_pool(numbered("globalaveragepool", first_version(blob)), x);
}

Tensor Caffe2::lrn(const std::string& blob, const Tensor& x, const Lrn& lrn) {
  return model_.lrn(numbered("lrn", first_version(blob)), x, lrn);
}

Tensor Caffe2::concat(const std::string& blob, const std::vector<Tensor>& parts) {
  return model_.concat(numbered("concat", first_version(blob)), parts);
}

Tensor Caffe2::dropout(const Tensor& x, float ratio) {
  const std::string blob = split(x.name).blob;
  return model_.dropout(numbered("dropout", next_version(x.name)), x, ratio,
                        "_" + blob + "_mask_1");
}

Tensor Caffe2::flatten(const Tensor& x) {
  if (x.dims.size() == 2) {
    return x;
  }
  // The original spells out 1 x features; -1 keeps the features and leaves the batch free.
  const std::int64_t features = x.dims.at(1) * x.dims.at(2) * x.dims.at(3);
  const std::string output = dummy();
  return model_.reshape(numbered("reshape", output), x, dummy(), {-1, features});
}

Tensor Caffe2::dense(const std::string& blob, const Tensor& x, std::int64_t units) {
  return model_.gemm(numbered("gemm", first_version(blob)), flatten(x), units,
                     {.kernel = blob + "_w_0", .bias = blob + "_b_0"});
}

Tensor Caffe2::dense_4d(const std::string& blob, const Tensor& x, std::int64_t units) {
  const Tensor flat = flatten(x);
  const std::int64_t features = flat.dims[1];
  const Tensor stored =
      model_.weight(blob + "_w_0", {1, 1, units, features}, Use::kernel, features);
  const std::string output = dummy();
  const Tensor kernel =
      model_.reshape(numbered("reshape", output), stored, dummy(), {units, features});
  return model_.gemm(numbered("gemm", first_version(blob)), flat, kernel, blob + "_b_0");
}

Tensor Caffe2::softmax(const std::string& blob, const Tensor& x) {
  return model_.softmax(numbered("softmax", first_version(blob)), x);
}

}  // namespace benanza::zoo
