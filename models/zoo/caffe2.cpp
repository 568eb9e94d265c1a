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

Tensor Caffe2::conv(const std::string& blob, const Tensor& x, const Conv& conv) {
  return model_.conv(numbered("conv", first_version(blob)), x, conv,
                     {.kernel = blob + "_w_0", .bias = blob + "_b_0"});
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

Tensor Caffe2::dense(const std::string& blob, const Tensor& x, std::int64_t units) {
  Tensor flat = x;
  if (x.dims.size() != 2) {
    // The original spells out 1 x features; -1 keeps the features and leaves the batch free.
    const std::int64_t features = x.dims.at(1) * x.dims.at(2) * x.dims.at(3);
    flat = model_.reshape(numbered("reshape", "OC2_DUMMY_0"), x, "OC2_DUMMY_1", {-1, features});
  }
  return model_.gemm(numbered("gemm", first_version(blob)), flat, units,
                     {.kernel = blob + "_w_0", .bias = blob + "_b_0"});
}

Tensor Caffe2::softmax(const std::string& blob, const Tensor& x) {
  return model_.softmax(numbered("softmax", first_version(blob)), x);
}

}  // namespace benanza::zoo
