#pragma once

#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// Blend factors (alpha, beta) as the library reads them: fp32 on the host for every precision of
/// the data.
inline constexpr float zero = 0.0F;
inline constexpr float one = 1.0F;

/// The base of cuDNN's primitives. Library functions compute alpha * f(inputs) + beta * result with
/// alpha and beta in fp32; here these are scale() and 0. Times are checked against the device's
/// peaks.
class CudnnPrimitive : public nvidia::CudaPrimitive {
 public:
  /// The result is dense, in the variant's precision and layout.
  CudnnPrimitive(Library& library, const harness::Variant& variant,
                 std::vector<nvidia::TensorFormat> inputs, std::int64_t workspace_bytes = 0);
  /// The same with a result of format `output`.
  CudnnPrimitive(Library& library, const harness::Variant& variant,
                 std::vector<nvidia::TensorFormat> inputs, nvidia::TensorFormat output,
                 std::int64_t workspace_bytes = 0);

 protected:
  cudnnHandle_t handle() const { return library_.handle(); }
  Library& library() const { return library_; }
  /// int8_scale for int8, 1 for every other precision.
  float scale() const { return scale_; }

 private:
  Library& library_;
  float scale_;
};

/// One operand of cudnnOpTensor: factor * data.
struct OpTensorOperand {
  const TensorDescriptor& tensor;
  const std::byte* data;
  float factor = 1;
};

/// cudnnOpTensor: result = op(a, b), b broadcast to a. `result` may be a's own memory.
void op_tensor(cudnnHandle_t handle, const OpTensorDescriptor& op, const OpTensorOperand& a,
               const OpTensorOperand& b, const TensorDescriptor& result_tensor, std::byte* result);

/// Dense formats of the operands and the result of the variant's problem.
std::vector<nvidia::TensorFormat> dense_inputs(const harness::Variant& variant);
nvidia::TensorFormat dense_output(const harness::Variant& variant);

}  // namespace benanza::cudnn
