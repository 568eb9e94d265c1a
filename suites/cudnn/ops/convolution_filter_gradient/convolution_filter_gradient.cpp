#include "suites/cudnn/ops/convolution_filter_gradient/convolution_filter_gradient.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/heuristics.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

using Answers = std::vector<cudnnConvolutionBwdFilterAlgoPerf_t>;

Answers ask_heuristics(Library& library, const ConvolutionDescriptors& descriptors) {
  int count = 0;
  BENANZA_CUDNN(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, library.handle(), &count);
  Answers answers(static_cast<std::size_t>(count));
  BENANZA_CUDNN(cudnnGetConvolutionBackwardFilterAlgorithm_v7, library.handle(),
                descriptors.read.get(), descriptors.output.get(), descriptors.convolution.get(),
                descriptors.weights.get(), static_cast<int>(answers.size()), &count,
                answers.data());
  answers.resize(static_cast<std::size_t>(count));
  return answers;
}

const Answers& heuristics(Library& library, const harness::Variant& variant,
                          const ConvolutionDescriptors& descriptors) {
  return library.filter_gradient_heuristics().of(
      variant, [&] { return ask_heuristics(library, descriptors); });
}

std::int64_t workspace_size(Library& library, const ConvolutionDescriptors& descriptors,
                            cudnnConvolutionBwdFilterAlgo_t algorithm) {
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetConvolutionBackwardFilterWorkspaceSize, library.handle(),
                descriptors.read.get(), descriptors.output.get(), descriptors.convolution.get(),
                descriptors.weights.get(), algorithm, &bytes);
  library.check_workspace(static_cast<std::int64_t>(bytes));
  return static_cast<std::int64_t>(bytes);
}

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

 protected:
  Facts library_facts() override {
    Facts facts{{"explicit_padding", padded_.has_value()}};
    const Answers& answers = heuristics(library(), variant_, descriptors_);
    const HeuristicAnswer answer = answer_for(std::span(answers), algorithm_);
    if (answer.rank) facts["heuristic_rank"] = static_cast<double>(*answer.rank);
    if (answer.tensor_core_claimed) facts["tensor_core_claimed"] = *answer.tensor_core_claimed;
    return facts;
  }

 private:
  harness::Variant variant_;
  /// `read`, `output` and `weights` are those of x, dy and dw.
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
  const Answers& answers = heuristics(library, prototype, descriptors);
  std::vector<harness::Algorithm> names;
  for (const auto algorithm :
       ordered_by_rank(std::span(answers), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT)) {
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
  const std::int64_t bytes = workspace_size(library, descriptors, algorithm);
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
