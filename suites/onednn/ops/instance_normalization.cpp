#include "suites/harness/primitive.h"
#include "suites/onednn/plans/lines.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// Repeats a value per channel for the channels of every image.
auto for_every_image(const InstanceNormalization& shape) {
  return [images = shape.input[0]](std::span<const float> values) {
    std::vector<float> repeated;
    for (std::int64_t image = 0; image < images; ++image) {
      repeated.insert(repeated.end(), values.begin(), values.end());
    }
    return repeated;
  };
}

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
    plan.operands.push_back({DNNL_ARG_SCALE, floats({dims[1]}), for_every_image(shape)});
    plan.operands.push_back({DNNL_ARG_SHIFT, floats({dims[1]}), for_every_image(shape)});
  }
  add_steps(plan, steps);
  return plan;
}

/// As a layer normalization, whose statistics are fast, of a row per channel, and then a factor and
/// an addend per row.
Plan by_rows(const InstanceNormalization& shape, const Problem& problem,
             const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("no int8 layer normalization");
  if (!problem.epilogue.steps.empty()) throw harness::Unsupported("steps behind a normalization");
  const std::int64_t rows = shape.input[0] * shape.input[1];
  const VariantContext plain(context.engine(), context.precision(), Layout::plain);
  // Of the library's binary calls, those that broadcast along all but axis 1 are fast.
  const Dims dims{1, rows, element_count(shape.input) / rows};
  const Memory::desc format = plain.plain(dims);
  const Implementation normalized = api::implementation_of<dnnl::layer_normalization_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_inference, format, format,
      shape.epsilon, dnnl::normalization_flags::none);
  Plan plan{.implementation = normalized,
            .operands = {{DNNL_ARG_SRC, floats(dims)}},
            .result = {DNNL_ARG_DST, floats(dims)}};
  if (!shape.affine) return plan;
  const Memory::desc per_row = floats({1, rows, 1});
  dnnl::post_ops shift;
  shift.append_binary(dnnl::algorithm::binary_add, per_row);
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(shift);
  plan.implementation = api::implementation_of<dnnl::binary>(
      context.engine(), attributes, dnnl::algorithm::binary_mul, format, per_row, format);
  plan.operands[0].id = DNNL_ARG_SRC_0;
  plan.operands.push_back({DNNL_ARG_SRC_1, per_row, for_every_image(shape)});
  plan.operands.push_back(
      {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, per_row, for_every_image(shape)});
  plan.before = {{0, [normalized](const Memory::desc&) { return normalized; }}};
  return plan;
}

}  // namespace

/// The channels of several images are contiguous only if they are outermost.
void register_instance_normalization(WayTable& table) {
  table.add(family_of<InstanceNormalization>(
      [](const InstanceNormalization& shape) {
        std::vector<Layout> layouts = channel_layouts(shape.input);
        if (shape.input[0] > 1 && layouts.front() != Layout::plain) layouts = {Layout::nchw};
        return layouts;
      },
      [](const InstanceNormalization& shape, const Problem& problem,
         const VariantContext& context) {
        std::vector<Attempt> attempts{
            {.prefix = "", .plan = [=] { return plan(shape, problem, context); }}};
        if (context.layout() == Layout::nchw || context.layout() == Layout::plain) {
          attempts.push_back(
              {.prefix = "rows.", .plan = [=] { return by_rows(shape, problem, context); }});
        }
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
