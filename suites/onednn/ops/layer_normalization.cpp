#include "suites/harness/primitive.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_layer_normalization(WayTable& table) {
  table.add(family_of_one<LayerNormalization>(
      [](const LayerNormalization&) { return std::vector{Layout::plain}; },
      [](const LayerNormalization& shape, const Problem& problem, const VariantContext& context) {
        if (shape.root_mean_square) {
          throw harness::Unsupported("oneDNN has no normalization by the root mean square");
        }
        if (context.integers()) {
          throw harness::Unsupported("int8 layernorm needs a result scale of its own");
        }
        auto flags = dnnl::normalization_flags::none;
        if (shape.scale) flags = flags | dnnl::normalization_flags::use_scale;
        if (shape.bias) flags = flags | dnnl::normalization_flags::use_shift;
        const Dims dims = shape.output();
        const Memory::desc format = context.plain(dims);
        const PostOps steps = steps_of(problem, context, dims);
        Plan plan{.implementation = api::implementation_of<dnnl::layer_normalization_forward>(
                      context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                      format, format, shape.epsilon, flags),
                  .operands = {{DNNL_ARG_SRC, floats(dims)}},
                  .result = {DNNL_ARG_DST, floats(dims)}};
        if (shape.scale) plan.operands.push_back({DNNL_ARG_SCALE, floats({shape.length})});
        if (shape.bias) plan.operands.push_back({DNNL_ARG_SHIFT, floats({shape.length})});
        add_steps(plan, steps);
        return plan;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
