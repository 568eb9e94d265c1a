#include <stdexcept>

#include "suites/onednn/post_ops.h"
#include "suites/onednn/solvers.h"
#include "suites/onednn/window.h"

namespace benanza::onednn {
namespace {

dnnl::algorithm algorithm(PoolingMode mode) {
  switch (mode) {
    case PoolingMode::max:
      return dnnl::algorithm::pooling_max;
    case PoolingMode::average_include_pad:
      return dnnl::algorithm::pooling_avg_include_padding;
    case PoolingMode::average_exclude_pad:
      return dnnl::algorithm::pooling_avg_exclude_padding;
  }
  throw std::logic_error("unknown pooling mode");
}

}  // namespace

void register_pooling(SolverTable& table) {
  table.add(solver_of_one_way<Pooling>(
      [](const Pooling& shape) { return channel_layouts(shape.input); },
      [](const Pooling& shape, const Problem& problem, const VariantContext& context) {
        const Window& window = shape.window;
        const LibraryWindow in_library(window);
        const PostOps steps = steps_of(problem, context, shape.output());
        Plan plan{.implementation = api::implementation_of<api::Pooling>(
                      context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                      algorithm(shape.mode), context.tensor(shape.input),
                      context.tensor(shape.output()), window.strides, window.kernel,
                      in_library.gaps, in_library.begin_pads, in_library.end_pads),
                  .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                  .result = {DNNL_ARG_DST, floats(shape.output())}};
        add_steps(plan, steps);
        return plan;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
