#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

dnnl::algorithm algorithm_of(const Softmax& shape) {
  return shape.logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
}

Implementation implementation(const Softmax& shape, const VariantContext& context,
                              const dnnl::primitive_attr& attributes) {
  const Memory::desc format = context.plain(shape.input);
  return api::implementation_of<api::Softmax>(
      context.engine(), attributes, dnnl::prop_kind::forward_inference, algorithm_of(shape), format,
      format, static_cast<int>(shape.axis));
}

Plan plan_softmax(const Softmax& shape, const Problem& problem, const VariantContext& context) {
  const PostOps steps = steps_of(problem, context, shape.input);
  Plan plan{.implementation = implementation(shape, context, steps.attributes),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
            .result = {DNNL_ARG_DST, floats(shape.input)}};
  add_steps(plan, steps);
  return plan;
}

/// Between two transpositions that move the axis to the end, where the library has fast code.
Plan plan_transposed(const Softmax& shape, const VariantContext& context) {
  const auto axis = static_cast<std::size_t>(shape.axis);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < shape.input.size(); ++i) {
    if (i < axis) outer *= shape.input[i];
    if (i > axis) inner *= shape.input[i];
  }
  const std::int64_t length = shape.input[axis];
  const Dims dims{outer, inner, length};
  const Dims strides{inner * length, 1, inner};
  Softmax last = shape;
  last.input = dims;
  last.axis = 2;
  const Memory::desc outside = context.strided(dims, strides);
  return {.implementation = implementation(last, context, context.attributes()),
          .operands = {{DNNL_ARG_SRC, floats(dims, strides)}},
          .result = {DNNL_ARG_DST, floats(dims, strides)},
          .before = {{0, moved_from(context, outside)}},
          .after = moved_to(context, outside)};
}

std::vector<Attempt> softmax_attempts(const Softmax& shape, const Problem& problem,
                                      const VariantContext& context) {
  if (context.integers()) {
    throw harness::Unsupported("int8 " + std::string(op(problem)) +
                               " needs a result scale of its own");
  }
  std::vector<Attempt> ways{
      {.prefix = "", .plan = [=] { return plan_softmax(shape, problem, context); }}};
  const bool is_last =
      element_count(Dims(shape.input.begin() + shape.axis + 1, shape.input.end())) == 1;
  if (!is_last && problem.epilogue.steps.empty()) {
    ways.push_back(
        {.prefix = "transposed.", .plan = [=] { return plan_transposed(shape, context); }});
  }
  return ways;
}

}  // namespace

void register_softmax(WayTable& table) {
  table.add(family_of<Softmax>([](const Softmax&) { return std::vector{Layout::plain}; },
                               softmax_attempts, Steps::appended));
}

}  // namespace benanza::onednn
