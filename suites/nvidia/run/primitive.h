#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "suites/harness/peaks/peaks.h"
#include "suites/harness/way.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"
#include "suites/nvidia/run/context.h"
#include "suites/nvidia/run/operand_store.h"

namespace benanza::nvidia {

/// A tensor whose elements the library stores otherwise than the problem has them.
struct StoredOtherwise {
  /// Of the operands, or of the results.
  std::size_t index = 0;
  std::function<float(float)> convert;
};

/// An operand that the library stores in a form that no TensorFormat describes; the input is bytes.
struct Encoded {
  /// Of the operands.
  std::size_t index = 0;
  Encode encode;
};

/// What a call reads, writes and needs.
struct CallSetup {
  /// With their logical dims (or a permutation of axes that keeps row-major order).
  std::vector<TensorFormat> inputs;
  /// In the order of the problem's results, at least one.
  std::vector<TensorFormat> results;
  /// What the library requires.
  std::int64_t workspace_bytes = 0;
  /// Memory behind each operand and result that the call may read and write, too.
  std::int64_t spare_bytes = 0;
  /// What the library has for its calls anyway, which is only reported.
  std::int64_t handle_workspace_bytes = 0;
  /// The library's own: "heuristic_rank", "tensor_core_claimed", ...
  Facts facts = {};
  /// Convert operands' values before they are stored.
  std::vector<StoredOtherwise> to_library_value = {};
  std::vector<Encoded> encoded = {};
  /// Convert what the library stored in results.
  std::vector<StoredOtherwise> to_problem_value = {};
  /// Which of inputs(problem) the inputs are; empty: all of them, in their order.
  std::vector<std::size_t> operands = {};
};

/// Base of primitives on a GPU: operands and results in device memory, the workspace, and the
/// stopwatch's facts. Calls add run().
class CudaPrimitive : public harness::Primitive {
 public:
  /// Asks `places` for all operands, results and the workspace, which is the context's if it has
  /// none. Throws OutOfMemory.
  CudaPrimitive(CudaContext& context, harness::Operands& places, CallSetup setup);
  ~CudaPrimitive() override;
  CudaPrimitive(const CudaPrimitive&) = delete;
  CudaPrimitive& operator=(const CudaPrimitive&) = delete;

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  /// The results, concatenated.
  std::vector<float> download() override;
  /// Places are indices into the concatenated results.
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;
  std::int64_t workspace_bytes() const override {
    return workspace_bytes_ + handle_workspace_bytes_;
  }
  bool shares_workspace() const override { return handle_workspace_bytes_ > 0; }
  /// random: uniform in [-1, 1), for int8 in [-127, 127]; some 65,000 values, repeated.
  using Values = harness::Values;
  /// Fills the inputs, for measurements whose result is not checked.
  void fill_inputs(Values values);
  /// Makes the stopwatch throw for times in which the device, at its peaks, could not do `work`.
  /// `arithmetic_saving` as in least_seconds(). Does nothing if the peaks are unknown.
  void guard(const Work& work, Precision precision, double arithmetic_saving = 1);
  /// The setup's facts and the stopwatch's.
  Facts facts() final;
  /// The facts from CUPTI for --kernels and --counters.
  Facts profile() final;

  CudaContext& context() const { return context_; }
  cudaStream_t stream() const { return context_.stream(); }
  std::byte* input(std::size_t index) const { return inputs_.at(index).memory.data(); }
  std::byte* output() const { return results_.front().memory.data(); }
  std::byte* result(std::size_t index) const { return results_.at(index).memory.data(); }
  /// Null if the setup demands none.
  std::byte* workspace() const { return workspace_; }

 private:
  struct Tensor {
    TensorFormat format;
    /// Lent by the call's places.
    DeviceMemory memory;
  };

  CudaContext& context_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> results_;
  Facts facts_;
  std::vector<StoredOtherwise> to_library_value_;
  std::vector<Encoded> encoded_;
  std::vector<StoredOtherwise> to_problem_value_;
  std::int64_t workspace_bytes_;
  std::int64_t handle_workspace_bytes_;
  std::byte* workspace_ = nullptr;
  std::shared_ptr<DeviceMemory> workspace_of_context_;
};

/// The elements of `places` in [begin, begin + count), relative to `begin`, and their indices in
/// `places`.
struct PlacesOfPart {
  std::vector<std::int64_t> places;
  std::vector<std::size_t> indices;
};
PlacesOfPart places_of_part(std::span<const std::int64_t> places, std::int64_t begin,
                            std::int64_t count);

/// A `Base`, a CudaPrimitive, whose call is `calls`: it holds what the library needs (descriptors,
/// further memory) and is a function of the primitive. Outside the timed region run, if it has
/// them:
///   placed(primitive)             once, when it is known where operands and results lie
///   uploaded(primitive, operand[, values])  after every upload
///   restored(primitive)           for restore()
template <class Base, class Calls>
class CallOf final : public Base {
 public:
  template <class... Arguments>
  explicit CallOf(Calls calls, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), calls_(std::move(calls)) {
    if constexpr (requires { calls_.placed(base()); }) calls_.placed(base());
  }

  void upload(std::size_t index, std::span<const float> values) override {
    Base::upload(index, values);
    if constexpr (requires { calls_.uploaded(base(), index); }) calls_.uploaded(base(), index);
    if constexpr (requires { calls_.uploaded(base(), index, values); }) {
      calls_.uploaded(base(), index, values);
    }
  }
  void restore() override {
    if constexpr (requires { calls_.restored(base()); }) calls_.restored(base());
  }
  void run() override { calls_(base()); }

 private:
  const Base& base() const { return *this; }

  Calls calls_;
};

/// A call that is asked for: of which variant, with what traits, and where its operands lie.
template <class Library>
struct Request {
  Library& library;
  const harness::Variant& variant;
  const harness::Traits& traits;
  harness::Operands& operands;
};

/// The way of this name, whose call make(request) sets up.
template <class Library, class Make>
harness::Way way_of(Library& library, const harness::Variant& prototype, harness::Algorithm name,
                    Make make, const harness::Traits& traits = {}) {
  harness::Variant variant = prototype;
  variant.algorithm = name;
  return {.name = std::move(name),
          .traits = traits,
          .make = [&library, variant = std::move(variant), traits, make = std::move(make)](
                      harness::Operands& operands) -> std::unique_ptr<harness::Primitive> {
            return make(Request<Library>{library, variant, traits, operands});
          }};
}

}  // namespace benanza::nvidia
