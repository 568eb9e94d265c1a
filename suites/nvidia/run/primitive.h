#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

/// Base of primitives on a GPU: operands and result in device memory, the shared workspace, and the
/// stopwatch's facts. Libraries add run() and their own facts.
class CudaPrimitive : public harness::Primitive {
 public:
  /// Allocates all memory. `inputs` are in the order of inputs(problem), with their logical dims
  /// (or a permutation of axes that keeps row-major order). `workspace_bytes` is what the library
  /// requires. Throws OutOfMemory.
  CudaPrimitive(CudaContext& context, std::vector<TensorFormat> inputs, TensorFormat output,
                std::int64_t workspace_bytes);
  ~CudaPrimitive() override;
  CudaPrimitive(const CudaPrimitive&) = delete;
  CudaPrimitive& operator=(const CudaPrimitive&) = delete;

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  std::vector<float> download() override;
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  /// random: uniform in [-1, 1), for int8 in [-127, 127]; some 65,000 values, repeated.
  enum class Values { zeros, random };
  /// Fills the inputs, for measurements whose result is not checked.
  void fill_inputs(Values values);
  /// Makes the stopwatch throw for times in which the device, at its peaks, could not do `work`.
  /// `arithmetic_saving` as in least_seconds(). Does nothing if the peaks are unknown.
  void guard(const Work& work, Precision precision, double arithmetic_saving = 1);
  /// library_facts() and the stopwatch's facts.
  Facts facts() final;
  /// The facts from CUPTI for --kernels and --counters.
  Facts profile() final;

 protected:
  /// The library's own facts: "heuristic_rank", "tensor_core_claimed", ...
  virtual Facts library_facts() { return {}; }

  CudaContext& context() const { return context_; }
  cudaStream_t stream() const { return context_.stream(); }
  std::byte* input(std::size_t index) const { return inputs_.at(index).memory.data(); }
  std::byte* output() const { return output_.memory.data(); }
  /// Null if workspace_bytes() is 0.
  std::byte* workspace() const { return workspace_ ? workspace_->data() : nullptr; }

 private:
  struct Tensor {
    TensorFormat format;
    DeviceMemory memory;
  };

  CudaContext& context_;
  std::vector<Tensor> inputs_;
  Tensor output_;
  std::int64_t workspace_bytes_;
  std::shared_ptr<DeviceMemory> workspace_;
};

}  // namespace benanza::nvidia
