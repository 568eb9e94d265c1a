#include "suites/plan/step_call.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/problem/name.h"
#include "core/problem/problem.h"

namespace benanza::plan {
namespace {

/// Where the elements of a strided view lie, in its order.
std::vector<std::size_t> places_of(const Dims& dims, const Dims& strides) {
  std::vector<std::size_t> places;
  Dims index(dims.size(), 0);
  for (std::int64_t left = element_count(dims); left > 0; --left) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides[axis];
    places.push_back(static_cast<std::size_t>(place));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return places;
}

harness::Strides strides_of(const FlowCall& work) {
  harness::Strides strides{.operands = {}, .result = work.result_strides};
  for (const FlowOperand& operand : work.operands) strides.operands.push_back(operand.strides);
  const bool dense = std::ranges::all_of(strides.operands, &Dims::empty);
  if (dense) strides.operands.clear();
  return strides;
}

bool are_strides(const Dims& strides, const Dims& dims) {
  return strides.empty() || (strides.size() == dims.size() &&
                             std::ranges::all_of(strides, [](auto stride) { return stride >= 0; }));
}

bool fit(const harness::Variant& variant) {
  const std::vector<Operand> operands = inputs(variant.problem);
  const std::vector<Dims>& strides = variant.strides.operands;
  if (!strides.empty() && strides.size() != operands.size()) return false;
  for (std::size_t index = 0; index < strides.size(); ++index) {
    if (!are_strides(strides[index], operands[index].dims)) return false;
  }
  return are_strides(variant.strides.result, output(variant.problem));
}

harness::Backend& backend_of(const VariantName& call, std::span<harness::Backend* const> backends) {
  const auto found = std::ranges::find(backends, call.backend,
                                       [](const harness::Backend* one) { return one->name(); });
  if (found == backends.end()) throw Error("no library " + call.backend + " in this program");
  return **found;
}

/// The factors of what a product reads, which are one of its result.
void scale_result(const Plan& plan, const PlanStep& step, Problem& problem) {
  double scale = 1;
  for (const FlowOperand& operand : step.work.operands) {
    const bool is_read =
        operand.kind == FlowOperand::Kind::tensor && plan.tensors.at(operand.index).buffer;
    if (is_read) scale *= operand.scale;
  }
  if (scale == 1) return;
  Epilogue& after = problem.epilogue;
  if (!std::holds_alternative<Gemm>(problem.shape) || after.bias || after.residual) {
    throw Error("scales what it reads, and is not a product alone");
  }
  if (after.activation) after.steps.insert(after.steps.begin(), *after.activation);
  after.activation = Activation{
      .input = {}, .kind = ActivationKind::linear, .alpha = static_cast<float>(scale), .beta = 0};
}

}  // namespace

StepCall step_call(const Plan& plan, const PlanStep& step,
                   std::span<harness::Backend* const> backends) {
  VariantName name = parse_variant_name(step.call);
  harness::Backend& backend = backend_of(name, backends);
  harness::Variant variant{parse(name.key), name.precision, name.layout, std::move(name.algorithm),
                           strides_of(step.work)};
  scale_result(plan, step, variant.problem);
  for (const FlowOperand& operand : step.work.operands) {
    if (operand.offset < 0 || (operand.offset != 0 && operand.strides.empty())) {
      throw Error("an operand begins at an element without having strides");
    }
  }
  if (!fit(variant)) throw Error("its strides are not those of its tensors");
  harness::Way way = backend.way(variant);
  if (variant.strides != harness::Strides{} && way.traits.strided_axes == 0) {
    throw Error("does not take tensors in strides");
  }
  return {&backend, std::move(variant), std::move(way)};
}

Written written_by(const FlowCall& work) {
  Written written{.offset = static_cast<std::size_t>(work.to_offset)};
  const Problem problem = parse(work.problem);
  const auto* const copy = std::get_if<Copy>(&problem.shape);
  if (copy != nullptr && !work.gather) {
    written.places = places_of(copy->dims, copy->to);
    written.has_gaps = true;
  } else if (!work.result_strides.empty()) {
    written.places = places_of(output(problem), work.result_strides);
  }
  return written;
}

}  // namespace benanza::plan
