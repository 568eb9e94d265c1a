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
        const bool as_rows = are_rows(shape.input) && !has_steps;
        const Memory::desc format =
            as_rows ? format_of_rows(shape.input, context)
                    : context.tensor(has_steps ? shape.input : line_as_image(shape.input));
        const auto argument = [&](int id) {
          return as_rows ? rows_argument(id, shape.input) : line_argument(id, shape.input, context);
        };
        const Memory::desc channels = floats({shape.input[1]});
        const PostOps steps = steps_of(problem, context, shape.input);
        Plan plan{.implementation = api::implementation_of<dnnl::batch_normalization_forward>(
                      context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                      format, format, shape.epsilon, flags),
                  .operands = {argument(DNNL_ARG_SRC),
                               {DNNL_ARG_SCALE, channels},
                               {DNNL_ARG_SHIFT, channels},
                               {DNNL_ARG_MEAN, channels},
                               {DNNL_ARG_VARIANCE, channels}},
                  .result = argument(DNNL_ARG_DST)};
        add_steps(plan, steps);
        return plan;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
