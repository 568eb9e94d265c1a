#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/zoo/builder.h"

namespace benanza::zoo {

/// Names layers as in models converted from Caffe and Caffe2. A layer writes the blob it is named
/// after, as version 1 ("BLOB_1"); an in-place layer writes the next version of its input. Nodes
/// are numbered by operator: conv_1, conv_2, ...; a grouped convolution has its number and its
/// groups: conv2_4. Tensors that the converter added are OC2_DUMMY_0, ...
class Caffe2 {
 public:
  /// `builder` must outlive this. `prefix` starts the name of every blob, "gpu_0/".
  explicit Caffe2(ModelBuilder& builder, std::string prefix = "")
      : model_(builder), prefix_(std::move(prefix)) {}

  Tensor input(const std::string& blob, const Dims& sample) {
    return model_.input(prefix_ + blob + "_0", sample);
  }

  Tensor conv(const std::string& blob, const Tensor& x, const Conv& conv, bool bias = true);
  /// Batch normalization, split as in Caffe: BatchNorm writes `blob`; Scale (a factor and an addend
  /// per channel, with weights named after it) writes `scale`, in place if it is the same blob.
  Tensor batch_norm_scale(const std::string& blob, const std::string& scale, const Tensor& x);
  /// Caffe2's own batch normalization, with weights BLOB_s_0, _b_0, _rm_0, _riv_0.
  Tensor batch_norm(const std::string& blob, const Tensor& x);
  /// In place.
  Tensor relu(const Tensor& x);
  Tensor conv_relu(const std::string& blob, const Tensor& x, const Conv& parameters) {
    return relu(conv(blob, x, parameters));
  }
  Tensor max_pool(const std::string& blob, const Tensor& x, const Window& window);
  Tensor average_pool(const std::string& blob, const Tensor& x, const Window& window);
  Tensor global_average_pool(const std::string& blob, const Tensor& x);
  Tensor lrn(const std::string& blob, const Tensor& x, const Lrn& lrn = {});
  Tensor concat(const std::string& blob, const std::vector<Tensor>& parts);
  Tensor sum(const std::string& blob, const std::vector<Tensor>& terms);
  /// Transposes the channels, seen as `groups` rows, so that every group gets channels of all
  /// groups.
  Tensor shuffle(const std::string& blob, const Tensor& x, std::int64_t groups);
  /// In place; the mask is named after the blob.
  Tensor dropout(const Tensor& x, float ratio);
  /// Fully connected: if x is an image, the converter's reshape to batch x features, then Gemm.
  Tensor dense(const std::string& blob, const Tensor& x, std::int64_t units) {
    return dense(blob, blob, x, units);
  }
  /// The same, if the output is not named after the weights.
  Tensor dense(const std::string& weights, const std::string& output, const Tensor& x,
               std::int64_t units);
  /// The same, with a kernel stored as 1 x 1 x units x features, which the converter reshapes.
  Tensor dense_4d(const std::string& blob, const Tensor& x, std::int64_t units);
  Tensor softmax(const std::string& blob, const Tensor& x);

 private:
  LayerName numbered(const std::string& op, const std::string& output);
  std::string dummy() { return "OC2_DUMMY_" + std::to_string(dummies_++); }
  Tensor flatten(const Tensor& x);
  /// A weight with one value per channel, shaped to broadcast over images.
  Tensor per_channel(const std::string& name, std::int64_t channels, Use use);

  /// Version 1 of a blob.
  std::string first(const std::string& blob) const { return prefix_ + blob + "_1"; }
  /// Name of a layer's weight.
  std::string weight(const std::string& blob, const std::string& kind) const {
    return prefix_ + blob + "_" + kind + "_0";
  }

  ModelBuilder& model_;
  std::string prefix_;
  std::map<std::string, int> counts_;
  int dummies_ = 0;
};

}  // namespace benanza::zoo
