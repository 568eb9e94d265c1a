#include "suites/onednn/plans/lines.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// Mean and variance are inputs, because they were learned.
void register_batch_normalization(WayTable& table) {
  table.add(family_of_one<BatchNormalization>(
      [](const BatchNormalization& shape) { return channel_layouts(shape.input); },
      [](const BatchNormalization& shape, const Problem& problem, const VariantContext& context) {
        const auto flags = dnnl::normalization_flags::use_global_stats |
                           dnnl::normalization_flags::use_scale |
                           dnnl::normalization_flags::use_shift;
        const bool has_steps = !problem.epilogue.steps.empty();
        const Memory::desc format =
            context.tensor(has_steps ? shape.input : line_as_image(shape.input));
        const Memory::desc channels = floats({shape.input[1]});
        const PostOps steps = steps_of(problem, context, shape.input);
        Plan plan{.implementation = api::implementation_of<dnnl::batch_normalization_forward>(
                      context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                      format, format, shape.epsilon, flags),
                  .operands = {line_argument(DNNL_ARG_SRC, shape.input, context),
                               {DNNL_ARG_SCALE, channels},
                               {DNNL_ARG_SHIFT, channels},
                               {DNNL_ARG_MEAN, channels},
                               {DNNL_ARG_VARIANCE, channels}},
                  .result = line_argument(DNNL_ARG_DST, shape.input, context)};
        add_steps(plan, steps);
        return plan;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
