#include <memory>
#include <vector>

#include "suites/cutensor/backend.h"
#include "suites/cutensor/permuted_modes.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/run/primitive.h"

// Copies by cutensorPermute(): "permute", and "permute.words" of eight bytes.
namespace benanza::cutensor {
namespace {

using TensorDescriptor =
    nvidia::Handle<cutensorTensorDescriptor_t, &cutensorDestroyTensorDescriptor>;
using OperationDescriptor =
    nvidia::Handle<cutensorOperationDescriptor_t, &cutensorDestroyOperationDescriptor>;
using Preference = nvidia::Handle<cutensorPlanPreference_t, &cutensorDestroyPlanPreference>;
using Plan = nvidia::Handle<cutensorPlan_t, &cutensorDestroyPlan>;

using Request = nvidia::Request<Library>;

constexpr std::int64_t word_bytes = 8;

/// What the library moves at a time, and the type that it takes it for.
struct Unit {
  std::int64_t bytes;
  cudaDataType type;
  /// Of the multiplication by 1, which leaves every value as it is. A word is NaN only if the data
  /// contain infinities or NaNs.
  cutensorComputeDescriptor_t compute;
};

Unit element_unit(Precision precision) {
  const std::int64_t bytes = element_bytes(precision);
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return {bytes, CUDA_R_32F, CUTENSOR_COMPUTE_DESC_32F};
    case Precision::fp16:
      return {bytes, CUDA_R_16F, CUTENSOR_COMPUTE_DESC_32F};
    case Precision::bf16:
      return {bytes, CUDA_R_16BF, CUTENSOR_COMPUTE_DESC_32F};
    default:
      throw harness::Unsupported("cuTENSOR permutes no elements of 8 bits");
  }
}

Unit word_unit() { return {word_bytes, CUDA_R_64F, CUTENSOR_COMPUTE_DESC_64F}; }

Copy word_copy(const Copy& shape, Precision precision) {
  return in_words(shape, word_bytes / element_unit(precision).bytes);
}

class Permutation {
 public:
  /// `moved`: the variant's copy, in units.
  Permutation(Library& library, const Copy& moved, const Unit& unit)
      : library_(library), is_words_(unit.type == CUDA_R_64F) {
    const PermutedModes modes = permuted_modes(moved);
    const TensorDescriptor source = descriptor(modes.source, unit);
    const TensorDescriptor result = descriptor(modes.result, unit);
    cutensorOperationDescriptor_t made = nullptr;
    check(cutensorCreatePermutation(library.handle(), &made, source.get(),
                                    modes.source.names.data(), CUTENSOR_OP_IDENTITY, result.get(),
                                    modes.result.names.data(), unit.compute),
          "cutensorCreatePermutation");
    const OperationDescriptor operation(made);
    cutensorPlanPreference_t defaults = nullptr;
    check(cutensorCreatePlanPreference(library.handle(), &defaults, CUTENSOR_ALGO_DEFAULT,
                                       CUTENSOR_JIT_MODE_NONE),
          "cutensorCreatePlanPreference");
    const Preference preference(defaults);
    cutensorPlan_t plan = nullptr;
    check(cutensorCreatePlan(library.handle(), &plan, operation.get(), preference.get(), 0),
          "cutensorCreatePlan");
    plan_.reset(plan);
  }

  void operator()(const nvidia::CudaPrimitive& call) const {
    constexpr float one = 1;
    constexpr double double_one = 1;
    const void* const alpha = is_words_ ? static_cast<const void*>(&double_one) : &one;
    check(cutensorPermute(library_.handle(), plan_.get(), alpha, call.input(0), call.output(),
                          call.stream()),
          "cutensorPermute");
  }

 private:
  TensorDescriptor descriptor(const PermutedModes::View& view, const Unit& unit) const {
    cutensorTensorDescriptor_t made = nullptr;
    check(cutensorCreateTensorDescriptor(library_.handle(), &made,
                                         static_cast<std::uint32_t>(view.names.size()),
                                         view.extents.data(), view.strides.data(), unit.type,
                                         alignment_bytes(view, unit.bytes)),
          "cutensorCreateTensorDescriptor");
    return TensorDescriptor(made);
  }

  Library& library_;
  Plan plan_;
  bool is_words_;
};

harness::Way way_of(Library& library, const harness::Variant& prototype, const char* name,
                    const Copy& shape, const Copy& moved, const Unit& unit) {
  return nvidia::way_of(library, prototype, name, [=](const Request& request) {
    const auto& [problem, precision, layout, algorithm, strides] = request.variant;
    const auto dense = [&](const Dims& dims) {
      return nvidia::tensor_format(precision, dims, Layout::plain);
    };
    auto made = std::make_unique<nvidia::CallOf<nvidia::CudaPrimitive, Permutation>>(
        Permutation(request.library, moved, unit), request.library.cuda(), request.operands,
        nvidia::CallSetup{.inputs = {dense(shape.inputs().front().dims)},
                          .results = {dense(shape.output())}});
    made->guard(work(problem, precision), precision);
    return made;
  });
}

std::vector<harness::Way> ways(Library& library, const Copy& shape,
                               const harness::Variant& prototype, harness::AlgorithmSet) {
  const Unit element = element_unit(prototype.precision);
  permuted_modes(shape);
  std::vector<harness::Way> found{way_of(library, prototype, "permute", shape, shape, element)};
  try {
    const Copy words = word_copy(shape, prototype.precision);
    found.push_back(way_of(library, prototype, "permute.words", shape, words, word_unit()));
  } catch (const harness::Unsupported&) {
    // By elements alone, then.
  }
  return found;
}

}  // namespace

/// The library ranks several kernels for a permutation; on an H200, all took the same time.
void register_permutation(WayTable& table) {
  table.add(harness::Family<Library, Copy>{
      .layouts = [](const Copy&) { return std::vector{Layout::plain}; }, .ways = ways});
}

}  // namespace benanza::cutensor
