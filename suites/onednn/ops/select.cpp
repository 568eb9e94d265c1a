#include <cmath>
#include <optional>

#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {
namespace {

struct Linear {
  float factor = 0;
  float term = 0;
};

/// The linear function that maps 1 to one number and 0 to the other exactly; nullopt if a step is
/// inexact.
std::optional<Linear> between(const Select& shape) {
  if (!shape.a.value || !shape.b.value) return std::nullopt;
  const Linear found{.factor = *shape.a.value - *shape.b.value, .term = *shape.b.value};
  if (!std::isfinite(found.factor) || found.factor + found.term != *shape.a.value) {
    return std::nullopt;
  }
  return found;
}

/// The library has no selection. a * c + b * (1 - c) is no substitute: multiplying by 0 does not
/// hide non-finite values, which is what conditions are often for. Two finite numbers are a linear
/// function of the condition.
Plan plan_select(const Select& shape, const VariantContext& context) {
  const auto numbers = between(shape);
  if (!numbers) {
    throw harness::Unsupported(
        "oneDNN is not asked to select by a condition, which its version 2 cannot, but between "
        "two finite numbers");
  }
  const Memory::desc format = context.tensor(shape.condition);
  return {.implementation = api::implementation_of<dnnl::eltwise_forward>(
              context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
              dnnl::algorithm::eltwise_linear, format, format, numbers->factor, numbers->term),
          .operands = {{DNNL_ARG_SRC, floats(shape.condition)}},
          .result = {DNNL_ARG_DST, floats(shape.condition)}};
}

}  // namespace

void register_select(SolverTable& table) {
  table.add(solver_of_one_way<Select>(
      [](const Select& shape) { return channel_layouts(shape.output()); },
      [](const Select& shape, const Problem&, const VariantContext& context) {
        return plan_select(shape, context);
      }));
}

}  // namespace benanza::onednn
