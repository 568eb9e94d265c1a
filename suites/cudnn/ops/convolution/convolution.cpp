#include "suites/cudnn/ops/convolution/convolution.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/convolution_direction.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

struct Forward {
  using Descriptors = ConvolutionDescriptors;
  using Answer = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr auto max_count = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardAlgorithmMaxCount);
  static constexpr auto heuristics = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardAlgorithm_v7);
  static constexpr auto workspace = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardWorkspaceSize);
  static auto operands(const Descriptors& d) {
    return std::tuple(d.read.get(), d.weights.get(), d.convolution.get(), d.output.get());
  }
  static auto& cache(Library& library) { return library.convolution_heuristics(); }
};
using Direction = ConvolutionDirection<Forward>;

std::vector<nvidia::TensorFormat> operand_formats(const ConvolutionCall& call,
                                                  const Epilogue& epilogue) {
  std::vector<nvidia::TensorFormat> formats{call.input, call.weights};
  if (epilogue.bias) formats.push_back(call.bias);
  if (epilogue.residual) formats.push_back(call.output);
  return formats;
}

class ConvolutionPrimitive final : public CudnnPrimitive {
 public:
  ConvolutionPrimitive(Library& library, const harness::Variant& variant,
                       const ConvolutionCall& call, ConvolutionDescriptors descriptors,
                       cudnnConvolutionFwdAlgo_t algorithm, std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, operand_formats(call, variant.problem.epilogue),
                       call.output, workspace_bytes),
        variant_(variant),
        descriptors_(std::move(descriptors)),
        algorithm_(algorithm),
        bias_(bias_operand(variant.problem)),
        residual_(residual_operand(variant.problem)),
        // A relu's coefficient is its upper bound; identity takes none.
        activation_(make_activation(fused_activation(variant.problem.epilogue),
                                    std::numeric_limits<double>::max())) {
    if (call.padded) padded_.emplace(library.cuda(), *call.padded, 0.0F);
    if (is_fused() && !bias_) {
      no_bias_ = nvidia::DeviceMemory(nvidia::span_bytes(call.bias));
      no_bias_.fill(0, stream());
    }
  }

  /// The library scales the products but neither bias nor residual, so both are stored scaled.
  void upload(std::size_t index, std::span<const float> values) override {
    const bool added = index == bias_ || index == residual_;
    if (!added || scale() == 1) return CudnnPrimitive::upload(index, values);
    std::vector<float> scaled(values.begin(), values.end());
    for (float& value : scaled) value *= scale();
    CudnnPrimitive::upload(index, scaled);
  }

  void run() override {
    const std::byte* data = input(0);
    if (padded_) {
      padded_->copy(handle(), descriptors_.input, data);
      data = padded_->data();
    }
    const auto bytes = static_cast<std::size_t>(workspace_bytes());
    const ConvolutionDescriptors& d = descriptors_;
    const float products = scale();
    if (!is_fused()) {
      BENANZA_CUDNN(cudnnConvolutionForward, handle(), &products, d.read.get(), data,
                    d.weights.get(), input(1), d.convolution.get(), algorithm_, workspace(), bytes,
                    &zero, d.output.get(), output());
      return;
    }
    // Without a residual: a factor of 0, and any tensor of the right shape.
    BENANZA_CUDNN(cudnnConvolutionBiasActivationForward, handle(), &products, d.read.get(), data,
                  d.weights.get(), input(1), d.convolution.get(), algorithm_, workspace(), bytes,
                  residual_ ? &one : &zero, d.output.get(),
                  residual_ ? input(*residual_) : output(), d.bias.get(),
                  bias_ ? input(*bias_) : no_bias_.data(), activation_.get(), d.output.get(),
                  output());
  }

  double rounding_amplification() const override {
    return cudnn::rounding_amplification(std::get<Convolution>(variant_.problem.shape), algorithm_);
  }

 protected:
  Facts library_facts() override {
    Facts facts = Direction::facts(library(), variant_, descriptors_, algorithm_);
    facts["explicit_padding"] = padded_.has_value();
    return facts;
  }

 private:
  bool is_fused() const { return variant_.problem.epilogue != Epilogue{}; }

  harness::Variant variant_;
  ConvolutionDescriptors descriptors_;
  cudnnConvolutionFwdAlgo_t algorithm_;
  std::optional<std::size_t> bias_;
  std::optional<std::size_t> residual_;
  ActivationDescriptor activation_;
  /// The library requires a bias: zeros if the problem has none.
  nvidia::DeviceMemory no_bias_;
  std::optional<PaddedInput> padded_;
};

std::vector<harness::Algorithm> algorithms(Library& library, const Convolution& shape,
                                           const harness::Variant& prototype,
                                           harness::AlgorithmSet) {
  const Epilogue& epilogue = prototype.problem.epilogue;
  fused_activation(epilogue);  // throws if no algorithm supports it
  const auto descriptors = describe(map_convolution(shape, prototype.precision, prototype.layout),
                                    prototype.layout, prototype.precision);
  std::vector<harness::Algorithm> names;
  for (const auto algorithm : algorithms_with(
           epilogue, ordered_by_rank(Direction::answers(library, prototype, descriptors),
                                     CUDNN_CONVOLUTION_FWD_ALGO_COUNT))) {
    names.emplace_back(to_string(algorithm));
  }
  return names;
}

std::unique_ptr<harness::Primitive> create(Library& library, const Convolution& shape,
                                           const harness::Variant& variant) {
  const ConvolutionCall call = map_convolution(shape, variant.precision, variant.layout);
  auto descriptors = describe(call, variant.layout, variant.precision);
  const auto algorithm = parse_convolution_algorithm(variant.algorithm);
  const std::int64_t bytes = Direction::workspace_bytes(library, descriptors, algorithm);
  return std::make_unique<ConvolutionPrimitive>(library, variant, call, std::move(descriptors),
                                                algorithm, bytes);
}

}  // namespace

void register_convolution(SolverTable& table) {
  table.add<Convolution>(
      {.layouts = [](const Convolution& shape) { return image_layouts(shape.input); },
       .algorithms = algorithms,
       .create = create,
       .owns = is_call});
  table.add(region_solver<Convolution>(
      [](const Convolution& shape) { return image_layouts(shape.input); }, convolution_graphs));
}

}  // namespace benanza::cudnn
