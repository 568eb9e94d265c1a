#include "suites/cudnn/ops/deconvolution/deconvolution.h"

#include <tuple>
#include <utility>
#include <vector>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/convolution_direction.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

struct DataGradient {
  using Descriptors = DeconvolutionDescriptors;
  using Answer = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr auto max_count =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataAlgorithmMaxCount);
  static constexpr auto heuristics =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  static constexpr auto workspace =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataWorkspaceSize);
  static auto operands(const Descriptors& d) {
    return std::tuple(d.weights.get(), d.input.get(), d.convolution.get(), d.written.get());
  }
  static auto& cache(Library& library) { return library.deconvolution_heuristics(); }
};
using Direction = ConvolutionDirection<DataGradient>;

class DeconvolutionPrimitive final : public CudnnPrimitive {
 public:
  DeconvolutionPrimitive(Library& library, const harness::Variant& variant,
                         const DeconvolutionCall& call, DeconvolutionDescriptors descriptors,
                         cudnnConvolutionBwdDataAlgo_t algorithm, std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, {call.input, call.weights}, call.output, workspace_bytes),
        variant_(variant),
        descriptors_(std::move(descriptors)),
        algorithm_(algorithm) {
    if (!call.larger) return;
    larger_ = nvidia::DeviceMemory(nvidia::span_bytes(call.larger->whole));
    interior_bytes_ = call.larger->interior.offset_bytes();
  }

  void run() override {
    const bool direct = descriptors_.interior == nullptr;
    const DeconvolutionDescriptors& d = descriptors_;
    const float products = scale();
    BENANZA_CUDNN(cudnnConvolutionBackwardData, handle(), &products, d.weights.get(), input(1),
                  d.input.get(), input(0), d.convolution.get(), algorithm_, workspace(),
                  static_cast<std::size_t>(workspace_bytes()), &zero, d.written.get(),
                  direct ? output() : larger_.data());
    if (direct) return;
    BENANZA_CUDNN(cudnnTransformTensor, handle(), &one, d.interior.get(),
                  larger_.data() + interior_bytes_, &zero, d.output.get(), output());
  }

 protected:
  Facts library_facts() override {
    Facts facts = Direction::facts(library(), variant_, descriptors_, algorithm_);
    facts["explicit_padding"] = descriptors_.interior != nullptr;
    return facts;
  }

 private:
  harness::Variant variant_;
  DeconvolutionDescriptors descriptors_;
  cudnnConvolutionBwdDataAlgo_t algorithm_;
  /// Written by the library if it is larger than the output; the output is its interior.
  nvidia::DeviceMemory larger_;
  std::int64_t interior_bytes_ = 0;
};

void refuse_epilogue(const harness::Variant& variant) {
  if (variant.problem.epilogue != Epilogue{}) {
    throw harness::Unsupported(
        "cuDNN's functions have no transposed convolution with bias, residual or activation in "
        "one call");
  }
}

std::vector<harness::Algorithm> algorithms(Library& library, const Deconvolution& shape,
                                           const harness::Variant& prototype,
                                           harness::AlgorithmSet) {
  refuse_epilogue(prototype);
  const auto descriptors = describe(map_deconvolution(shape, prototype.precision, prototype.layout),
                                    prototype.layout, prototype.precision);
  const auto& answers = Direction::answers(library, prototype, descriptors);
  std::vector<harness::Algorithm> names;
  for (const auto algorithm : ordered_by_rank(answers, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT)) {
    names.emplace_back(to_string(algorithm));
  }
  return names;
}

std::unique_ptr<harness::Primitive> create(Library& library, const Deconvolution& shape,
                                           const harness::Variant& variant) {
  refuse_epilogue(variant);
  const DeconvolutionCall call = map_deconvolution(shape, variant.precision, variant.layout);
  auto descriptors = describe(call, variant.layout, variant.precision);
  const auto algorithm = parse_deconvolution_algorithm(variant.algorithm);
  const std::int64_t bytes = Direction::workspace_bytes(library, descriptors, algorithm);
  return std::make_unique<DeconvolutionPrimitive>(library, variant, call, std::move(descriptors),
                                                  algorithm, bytes);
}

}  // namespace

void register_deconvolution(SolverTable& table) {
  table.add<Deconvolution>(
      {.layouts = [](const Deconvolution& shape) { return image_layouts(shape.input); },
       .algorithms = algorithms,
       .create = create,
       .owns = is_call});
  table.add(region_solver<Deconvolution>(
      [](const Deconvolution& shape) { return image_layouts(shape.input); }, deconvolution_graphs));
}

}  // namespace benanza::cudnn
