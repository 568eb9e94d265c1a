#include "suites/cudnn/ops/convolution_filter_gradient/convolution_filter_gradient.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/primitive/convolution_direction.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

struct FilterGradient {
  using Descriptors = ConvolutionDescriptors;
  using Answer = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr auto max_count =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount);
  static constexpr auto heuristics =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  static constexpr auto workspace =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterWorkspaceSize);
  static auto operands(const Descriptors& d) {
    return std::tuple(d.read.get(), d.output.get(), d.convolution.get(), d.weights.get());
  }
  static auto& cache(Library& library) { return library.filter_gradient_heuristics(); }
};
using Direction = ConvolutionDirection<FilterGradient>;

class FilterGradientPrimitive final : public CudnnPrimitive {
 public:
  FilterGradientPrimitive(Library& library, const harness::Variant& variant,
                          const ConvolutionCall& call, ConvolutionDescriptors descriptors,
                          cudnnConvolutionBwdFilterAlgo_t algorithm, std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, {call.input, call.output}, call.weights, workspace_bytes),
        variant_(variant),
        descriptors_(std::move(descriptors)),
        algorithm_(algorithm) {
    if (call.padded) padded_.emplace(library.cuda(), *call.padded, 0.0F);
  }

  void run() override {
    const ConvolutionDescriptors& d = descriptors_;
    const std::byte* data = input(0);
    if (padded_) {
      padded_->copy(handle(), d.input, data);
      data = padded_->data();
    }
    BENANZA_CUDNN(cudnnConvolutionBackwardFilter, handle(), &one, d.read.get(), data,
                  d.output.get(), input(1), d.convolution.get(), algorithm_, workspace(),
                  static_cast<std::size_t>(workspace_bytes()), &zero, d.weights.get(), output());
  }

  double rounding_amplification() const override {
    const auto& shape = std::get<ConvolutionFilterGradient>(variant_.problem.shape);
    return cudnn::rounding_amplification(shape.forward, algorithm_);
  }
  double partial_sums() const override {
    const auto& shape = std::get<ConvolutionFilterGradient>(variant_.problem.shape);
    return cudnn::partial_sums(shape.forward, algorithm_);
  }

 protected:
  Facts library_facts() override {
    Facts facts = Direction::facts(library(), variant_, descriptors_, algorithm_);
    facts["explicit_padding"] = padded_.has_value();
    return facts;
  }

 private:
  harness::Variant variant_;
  /// `read`, `output` and `weights` describe x, dy and dw.
  ConvolutionDescriptors descriptors_;
  cudnnConvolutionBwdFilterAlgo_t algorithm_;
  std::optional<PaddedInput> padded_;
};

std::vector<Layout> layouts(const ConvolutionFilterGradient& shape) {
  return image_layouts(shape.forward.input);
}

std::vector<harness::Algorithm> algorithms(Library& library, const ConvolutionFilterGradient& shape,
                                           const harness::Variant& prototype,
                                           harness::AlgorithmSet) {
  refuse_filter_gradient(shape, prototype.precision);
  const auto descriptors =
      describe(map_convolution(shape.forward, prototype.precision, prototype.layout),
               prototype.layout, prototype.precision);
  const auto& answers = Direction::answers(library, prototype, descriptors);
  std::vector<harness::Algorithm> names;
  for (const auto algorithm : ordered_by_rank(answers, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT)) {
    names.emplace_back(to_string(algorithm));
  }
  return names;
}

std::unique_ptr<harness::Primitive> create(Library& library, const ConvolutionFilterGradient& shape,
                                           const harness::Variant& variant) {
  refuse_filter_gradient(shape, variant.precision);
  const ConvolutionCall call = map_convolution(shape.forward, variant.precision, variant.layout);
  auto descriptors = describe(call, variant.layout, variant.precision);
  const auto algorithm = parse_filter_gradient_algorithm(variant.algorithm);
  const std::int64_t bytes = Direction::workspace_bytes(library, descriptors, algorithm);
  return std::make_unique<FilterGradientPrimitive>(library, variant, call, std::move(descriptors),
                                                   algorithm, bytes);
}

}  // namespace

void register_convolution_filter_gradient(SolverTable& table) {
  table.add<ConvolutionFilterGradient>(
      {.layouts = layouts, .algorithms = algorithms, .create = create, .owns = is_call});
  table.add(graph_solver<ConvolutionFilterGradient>(layouts, filter_gradient_graphs));
}

}  // namespace benanza::cudnn
