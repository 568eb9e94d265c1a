#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The workspace of the forward call holds the positions of the maxima.
Plan plan(const PoolingGradient& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
  const Pooling& pooling = shape.forward;
  const Window& window = pooling.window;
  const LibraryWindow in_library(window);
  const dnnl::algorithm algorithm = pooling_algorithm(pooling.mode);
  const Memory::desc input = context.tensor(pooling.input);
  const Memory::desc output = context.tensor(pooling.output());
  const auto forward = api::forward_of<api::Pooling>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, algorithm, input,
      output, window.strides, window.kernel, in_library.gaps, in_library.begin_pads,
      in_library.end_pads);
  Plan plan{
      .implementation = api::gradient_of<api::PoolingGradient>(
          context.engine(), context.attributes(), forward, algorithm, input, output, window.strides,
          window.kernel, in_library.gaps, in_library.begin_pads, in_library.end_pads),
      .operands = {{DNNL_ARG_DIFF_DST, floats(pooling.output())}},
      .result = {DNNL_ARG_DIFF_SRC, floats(pooling.input)}};
  if (pooling.mode == PoolingMode::max) {
    plan.operands.push_back({DNNL_ARG_SRC, floats(pooling.input)});
    plan.preparation = {
        .call = Implementation(forward.descriptor), .operands = {1}, .results = {DNNL_ARG_DST}};
  }
  return plan;
}

}  // namespace

void register_pooling_gradient(WayTable& table) {
  table.add(family_of_one<PoolingGradient>(
      [](const PoolingGradient& shape) { return channel_layouts(shape.forward.input); },
      [](const PoolingGradient& shape, const Problem&, const VariantContext& context) {
        return plan(shape, context);
      }));
}

}  // namespace benanza::onednn
