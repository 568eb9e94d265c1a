#pragma once

#include "suites/cudnn/primitive/library.h"
#include "suites/cudnn/api/shape.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// A primitive of cuDNN. Every function of the library computes alpha * f(inputs) + beta * result
/// with alpha and beta in fp32; ours are scale() and 0.
class Layer : public CudaPrimitive {
 public:
  /// Result in the variant's precision and layout.
  Layer(Library& library, const Variant& variant, std::vector<TensorFormat> inputs,
        std::int64_t workspace_bytes = 0);
  /// The same, the result lying as `output` says.
  Layer(Library& library, const Variant& variant, std::vector<TensorFormat> inputs,
        TensorFormat output, std::int64_t workspace_bytes = 0);

 protected:
  cudnnHandle_t handle() const { return library_.handle(); }
  Library& library() const { return library_; }
  /// int8_scale for int8, 1 for every other precision.
  float scale() const { return scale_; }

 private:
  Library& library_;
  float scale_;
};

/// Dense tensors for the operands of `problem` and for its result.
std::vector<TensorFormat> dense_inputs(const Variant& variant);
TensorFormat dense_output(const Variant& variant);

}  // namespace benanza::cudnn
