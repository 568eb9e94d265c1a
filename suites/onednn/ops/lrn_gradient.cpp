#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The forward call stores the sums of squares in its workspace.
Plan plan(const Lrn& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
  if (shape.size % 2 == 0) {
    throw harness::Unsupported(
        "oneDNN's LRN has as many neighbours before as after: sizes are odd");
  }
  const auto algorithm = dnnl::algorithm::lrn_across_channels;
  const Memory::desc format = context.tensor(shape.input);
  const auto forward = api::forward_of<dnnl::lrn_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, algorithm, format,
      format, shape.size, shape.alpha, shape.beta, shape.k);
  const Memory::desc values = floats(shape.input);
  return {
      .implementation = api::gradient_of<dnnl::lrn_backward>(
          context.engine(), context.attributes(), forward, algorithm, format, format, format,
          shape.size, shape.alpha, shape.beta, shape.k),
      .operands = {{DNNL_ARG_DIFF_DST, values}, {DNNL_ARG_SRC, values}},
      .result = {DNNL_ARG_DIFF_SRC, values},
      .preparation = Preparation{
          .call = Implementation(forward.descriptor), .operands = {1}, .results = {DNNL_ARG_DST}}};
}

}  // namespace

void register_lrn_gradient(WayTable& table) {
  table.add(family_of_one<LrnGradient>(
      [](const LrnGradient& shape) { return channel_layouts(shape.forward.input); },
      [](const LrnGradient& shape, const Problem&, const VariantContext& context) {
        return plan(shape.forward, context);
      }));
}

}  // namespace benanza::onednn
