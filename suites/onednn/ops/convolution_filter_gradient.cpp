#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

Plan plan(const ConvolutionFilterGradient& gradient, const VariantContext& context,
          dnnl::algorithm algorithm) {
  const Convolution& shape = gradient.forward;
  if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
  const auto data = [&](const Dims& dims) {
    return context.layout() == Layout::any ? context.chosen_by_library(dims) : context.tensor(dims);
  };
  const LibraryWindow window(shape.window);
  const Dims weights = weight_dims(shape);
  const Memory::desc bias = gradient.bias ? floats({shape.filters}) : Memory::desc();
  const auto forward = api::forward_of<dnnl::convolution_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, algorithm,
      data(shape.input), context.chosen_by_library(weights), bias, data(shape.output()),
      shape.window.strides, window.gaps, window.begin_pads, window.end_pads);
  Plan plan{.implementation = api::gradient_of<dnnl::convolution_backward_weights>(
                context.engine(), context.attributes(), forward, algorithm, data(shape.input),
                context.chosen_by_library(weights), bias, data(shape.output()),
                shape.window.strides, window.gaps, window.begin_pads, window.end_pads),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)},
                         {DNNL_ARG_DIFF_DST, floats(shape.output())}},
            .result = {DNNL_ARG_DIFF_WEIGHTS, floats(weights)}};
  if (gradient.bias) plan.further_results = {{DNNL_ARG_DIFF_BIAS, floats({shape.filters})}};
  return plan;
}

}  // namespace

/// Layout::any leaves the formats of input and gradient to the library, which always chooses the
/// weights' format.
void register_convolution_filter_gradient(WayTable& table) {
  table.add(family_of<ConvolutionFilterGradient>(
      [](const ConvolutionFilterGradient&) {
        return std::vector{Layout::nchw, Layout::nhwc, Layout::any};
      },
      [](const ConvolutionFilterGradient& shape, const Problem&, const VariantContext& context) {
        std::vector<Attempt> attempts;
        for (const auto& [prefix, algorithm] :
             {std::pair{"", dnnl::algorithm::convolution_direct},
              std::pair{"winograd.", dnnl::algorithm::convolution_winograd}}) {
          attempts.push_back(
              {.prefix = prefix,
               .plan = [=] { return plan(shape, context, algorithm); },
               .traits = {.transforms = algorithm == dnnl::algorithm::convolution_winograd}});
        }
        return attempts;
      }));
}

}  // namespace benanza::onednn
