#include "suites/harness/primitive.h"
#include "suites/onednn/plans/lines.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// Uses the library's batch normalization with the batch's own statistics: an instance becomes a
/// channel of a batch of one.
Plan plan(const InstanceNormalization& shape, const Problem& problem,
          const VariantContext& context) {
  if (context.integers())
    throw harness::Unsupported("int8 instancenorm needs a result scale of its own");
  Dims dims = shape.input;
  dims[1] *= dims[0];
  dims[0] = 1;
  if (problem.epilogue.steps.empty()) dims = line_as_image(dims);
  auto flags = dnnl::normalization_flags::none;
  if (shape.affine) {
    flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  }
  const Memory::desc format = context.tensor(dims);
  const PostOps steps = steps_of(problem, context, dims);
  Plan plan{.implementation = api::implementation_of<dnnl::batch_normalization_forward>(
                context.engine(), steps.attributes, dnnl::prop_kind::forward_inference, format,
                format, shape.epsilon, flags),
            .operands = {{DNNL_ARG_SRC, floats(dims)}},
            .result = {DNNL_ARG_DST, floats(dims)}};
  if (shape.affine) {
    const auto for_every_image = [images = shape.input[0]](std::span<const float> values) {
      std::vector<float> repeated;
      for (std::int64_t image = 0; image < images; ++image) {
        repeated.insert(repeated.end(), values.begin(), values.end());
      }
      return repeated;
    };
    plan.operands.push_back({DNNL_ARG_SCALE, floats({dims[1]}), for_every_image});
    plan.operands.push_back({DNNL_ARG_SHIFT, floats({dims[1]}), for_every_image});
  }
  add_steps(plan, steps);
  return plan;
}

}  // namespace

/// The channels of several images are contiguous only if they are outermost.
void register_instance_normalization(WayTable& table) {
  table.add(family_of_one<InstanceNormalization>(
      [](const InstanceNormalization& shape) {
        std::vector<Layout> layouts = channel_layouts(shape.input);
        if (shape.input[0] > 1 && layouts.front() != Layout::plain) layouts = {Layout::nchw};
        return layouts;
      },
      [](const InstanceNormalization& shape, const Problem& problem,
         const VariantContext& context) { return plan(shape, problem, context); },
      Steps::appended));
}

}  // namespace benanza::onednn
