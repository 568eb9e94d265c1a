#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/zoo/builder.h"

namespace benanza::zoo {

/// Layers named as in models converted from Caffe and Caffe2: a layer writes the blob it is named
/// after, as version 1 ("BLOB_1"); a layer that works in place writes the next version of its
/// input. Nodes are numbered by operator: conv_1, conv_2, ...; a grouped convolution is called by
/// its number and its groups: conv2_4. Tensors that the converter added are OC2_DUMMY_0, ...
class Caffe2 {
 public:
  /// `builder` must outlive this. `prefix` begins the name of every blob, "gpu_0/".
  explicit Caffe2(ModelBuilder& builder, std::string prefix = "")
      : model_(builder), prefix_(std::move(prefix)) {}

  Tensor input(const std::string& blob, const Dims& sample) {
    return model_.input(prefix_ + blob + "_0", sample);
  }

  Tensor conv(const std::string& blob, const Tensor& x, const Conv& conv, bool bias = true);
  /// Batch normalization as Caffe splits it: BatchNorm writes `blob`, Scale (a factor and an addend
  /// per channel, with weights named after it) writes `scale`, in place if it is the same blob.
  Tensor batch_norm_scale(const std::string& blob, const std::string& scale, const Tensor& x);
  /// Caffe2's own batch normalization: weights BLOB_s_0, _b_0, _rm_0, _riv_0.
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
  /// Channels, seen as `groups` rows, transposed: every group gets channels of all groups.
  Tensor shuffle(const std::string& blob, const Tensor& x, std::int64_t groups);
  /// In place; the mask is named after the blob.
  Tensor dropout(const Tensor& x, float ratio);
  /// Fully connected: the converter's own reshape to batch x features, if x is an image, then Gemm.
  Tensor dense(const std::string& blob, const Tensor& x, std::int64_t units) {
    return dense(blob, blob, x, units);
  }
  /// The same, where the output is not named after the weights.
  Tensor dense(const std::string& weights, const std::string& output, const Tensor& x,
               std::int64_t units);
  /// The same, with a kernel stored as 1 x 1 x units x features, which the converter reshapes.
  Tensor dense_4d(const std::string& blob, const Tensor& x, std::int64_t units);
  Tensor softmax(const std::string& blob, const Tensor& x);

 private:
  LayerName numbered(const std::string& op, const std::string& output);
  std::string dummy() { return "OC2_DUMMY_" + std::to_string(dummies_++); }
  Tensor flatten(const Tensor& x);
  /// A weight of a channel each, shaped to broadcast over images.
  Tensor per_channel(const std::string& name, std::int64_t channels, Use use);

  /// Version 1 of a blob.
  std::string first(const std::string& blob) const { return prefix_ + blob + "_1"; }
  /// The weight of a layer.
  std::string weight(const std::string& blob, const std::string& kind) const {
    return prefix_ + blob + "_" + kind + "_0";
  }

  ModelBuilder& model_;
  std::string prefix_;
  std::map<std::string, int> counts_;
  int dummies_ = 0;
};

}  // namespace benanza::zoo
