#pragma once

#include <map>
#include <string>
#include <vector>

#include "zoo/builder.h"

namespace benanza::zoo {

/// Layers named as in models converted from Caffe and Caffe2: a layer writes the blob it is named
/// after, as version 1 ("BLOB_1"); a layer that works in place writes the next version of its
/// input. Nodes are numbered by operator: conv_1, conv_2, ...; a grouped convolution is called by
/// its number and its groups: conv2_4. Tensors that the converter added are OC2_DUMMY_0, ...
class Caffe2 {
 public:
  /// `builder` must outlive this.
  explicit Caffe2(ModelBuilder& builder) : model_(builder) {}

  Tensor conv(const std::string& blob, const Tensor& x, const Conv& conv, bool bias = true);
  /// Batch normalization as Caffe splits it: BatchNorm writes `blob`, Scale (a factor and an addend
  /// per channel, with weights named after it) writes `scale`, in place if it is the same blob.
  Tensor batch_norm_scale(const std::string& blob, const std::string& scale, const Tensor& x);
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
  /// In place; the mask is named after the blob.
  Tensor dropout(const Tensor& x, float ratio);
  /// Fully connected: the converter's own reshape to batch x features, if x is an image, then Gemm.
  Tensor dense(const std::string& blob, const Tensor& x, std::int64_t units);
  /// The same, with a kernel stored as 1 x 1 x units x features, which the converter reshapes.
  Tensor dense_4d(const std::string& blob, const Tensor& x, std::int64_t units);
  Tensor softmax(const std::string& blob, const Tensor& x);

 private:
  LayerName numbered(const std::string& op, const std::string& output);
  std::string dummy() { return "OC2_DUMMY_" + std::to_string(dummies_++); }
  Tensor flatten(const Tensor& x);
  /// A weight of a channel each, shaped to broadcast over images.
  Tensor per_channel(const std::string& name, std::int64_t channels, Use use);

  ModelBuilder& model_;
  std::map<std::string, int> counts_;
  int dummies_ = 0;
};

}  // namespace benanza::zoo
