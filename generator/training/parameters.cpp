// Where the gradients of parameters arrive.

#include <algorithm>
#include <utility>

#include "generator/training/step_builder.h"

namespace benanza::training {
namespace {

/// The sum over repetitions of a tensor of extents `from` that was broadcast to `to`.
Reduction sum_over(Dims from, const Dims& to) {
  from.insert(from.begin(), to.size() - std::min(to.size(), from.size()), 1);
  Reduction sum{ReductionKind::sum, to, {}};
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (from[axis] == 1 && to[axis] != 1) sum.axes.push_back(static_cast<std::int64_t>(axis));
  }
  return sum;
}

/// The same for a Tile, whose axes are repetitions and elements.
Reduction sum_over_tiles(const Dims& from, const Dims& to) {
  Reduction sum{ReductionKind::sum, {}, {}};
  for (std::size_t axis = 0; axis < to.size() && axis < from.size(); ++axis) {
    if (const std::int64_t repeats = to[axis] / std::max<std::int64_t>(1, from[axis]);
        repeats > 1) {
      sum.axes.push_back(std::ssize(sum.input));
      sum.input.push_back(repeats);
    }
    if (from[axis] > 1) sum.input.push_back(from[axis]);
  }
  return sum;
}

}  // namespace

std::string StepBuilder::unused_name(const std::string& wanted) const {
  std::string name = wanted;
  const auto is_used = [&](const LoweredLayer& layer) { return layer.name == name; };
  for (int copy = 2; std::ranges::any_of(layers_, is_used); ++copy) {
    name = wanted + '_' + std::to_string(copy);
  }
  return name;
}

Read StepBuilder::add_form(std::size_t forward, Problem problem, const Dims& dims,
                           const Read& gradient) {
  LoweredLayer layer = backward_layer(forward, "parameter_gradient");
  layer.name = unused_name(layer.name);
  layer.reads = {gradient};
  layer.outputs = {{layer.name, "float", dims}};
  const bool moves = std::holds_alternative<Copy>(problem.shape);
  layer.cost = moves ? Cost::movement : Cost::measured;
  layer.calls = {{.problem = std::move(problem), .operands = {{.index = 0}}, .is_proxy = moves}};
  finish(layer);
  return made_by({add_layer(std::move(layer)), 0});
}

Read StepBuilder::through_forms(std::size_t forward, const Dims& seen, const Read& operand,
                                const Origin& from, Read gradient) {
  const auto add_sum = [&](const Reduction& sum, const Dims& dims) {
    if (!sum.axes.empty()) gradient = add_form(forward, {sum, {}}, dims, gradient);
  };
  if (operand.stored && operand.stored->size() == seen.size()) {
    add_sum(sum_over(*operand.stored, seen), *operand.stored);
  }
  for (const Read& form : from.forms) {
    const LoweredLayer& maker = layers_[*form.producer];
    const std::optional<Dims> before = extents(layers_, maker.reads[0]);
    const std::optional<Dims> after = extents(layers_, form);
    if (!before || !after) continue;
    if (maker.op == "Expand") {
      add_sum(sum_over(*before, *after), *before);
    } else if (maker.op == "Tile") {
      add_sum(sum_over_tiles(*before, *after), *before);
    } else if (const std::int64_t count = element_count(*after); count != element_count(*before)) {
      // To the rows that were selected; the others get nothing.
      const Copy rows{.dims = {count}, .from = {1}, .to = {1}};
      gradient = add_form(forward, {rows.canonical(), {}}, *before, gradient);
    }
  }
  return gradient;
}

void StepBuilder::arrive(std::size_t forward, const Call& call, std::size_t operand,
                         Read gradient) {
  const Read read = layers_[forward].reads[static_cast<std::size_t>(call.operands[operand].index)];
  const Dims seen = benanza::inputs(call.problem)[operand].dims;
  const Origin from = origin(layers_, read, is_embedded(call, operand));
  gradient = through_forms(forward, seen, read, from, std::move(gradient));
  const auto [known, is_new] = parameter_of_.try_emplace(from.read.tensor, parameters_.size());
  if (is_new) {
    Dims dims = read.stored ? *read.stored : extents(layers_, from.read).value_or(seen);
    const bool is_table = call.is_proxy || !from.forms.empty() || read.stored;
    if (!is_table && element_count(dims) != element_count(seen)) dims = seen;
    parameters_.push_back({std::move(dims), gradient});
  } else {
    Trained& before = parameters_[known->second];
    if (before.gradient.producer) {
      auto& complete = layers_[*before.gradient.producer].gradients;
      complete.erase(std::ranges::find(complete, before.elements()));
    }
    before.gradient = sum(unused_name(layers_[forward].name + ".parameter_sum"), before.dims,
                          {before.gradient, gradient});
  }
  const Trained& parameter = parameters_[known->second];
  if (parameter.gradient.producer) {
    layers_[*parameter.gradient.producer].gradients.push_back(parameter.elements());
  }
}

}  // namespace benanza::training
