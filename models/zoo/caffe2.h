#pragma once

#include <map>
#include <string>
#include <vector>

#include "zoo/builder.h"

namespace benanza::zoo {

/// Layers named as in models converted from Caffe and Caffe2: a layer writes the blob it is named
/// after, as version 1 ("BLOB_1"); a layer that works in place writes the next version of its
/// input. Nodes are numbered by operator: conv_1, conv_2, ...
class Caffe2 {
 public:
  /// `builder` must outlive this.
  explicit Caffe2(ModelBuilder& builder) : model_(builder) {}

  Tensor conv(const std::string& blob, const Tensor& x, const Conv& conv);
  /// In place.
  Tensor relu(const Tensor& x);
  Tensor conv_relu(const std::string& blob, const Tensor& x, const Conv& parameters) {
    return relu(conv(blob, x, parameters));
  }
  Tensor max_pool(const std::string& blob, const Tensor& x, const Window& window);
  Tensor average_pool(const std::string& blob, const Tensor& x, const Window& window);
  Tensor lrn(const std::string& blob, const Tensor& x, const Lrn& lrn = {});
  Tensor concat(const std::string& blob, const std::vector<Tensor>& parts);
  /// In place; the mask is named after the blob.
  Tensor dropout(const Tensor& x, float ratio);
  /// Fully connected: the converter's own reshape to batch x features, if x is an image, then Gemm.
  Tensor dense(const std::string& blob, const Tensor& x, std::int64_t units);
  Tensor softmax(const std::string& blob, const Tensor& x);

 private:
  LayerName numbered(const std::string& op, const std::string& output);

  ModelBuilder& model_;
  std::map<std::string, int> counts_;
};

}  // namespace benanza::zoo
