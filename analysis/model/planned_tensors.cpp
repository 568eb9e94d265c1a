#include "analysis/model/planned_tensors.h"

#include <algorithm>
#include <utility>

namespace benanza::analysis {
namespace {

/// A factor of what it reads is one of its result, before its steps.
bool multiplies_alone(const Problem& problem) {
  return std::holds_alternative<Gemm>(problem.shape) && !problem.epilogue.bias &&
         !problem.epilogue.residual;
}

/// Operand `at` is a term of the result, or of what a step adds.
bool is_added(const Problem& problem, std::size_t at) {
  const std::size_t all = inputs(problem).size();
  const std::size_t first = all - problem.epilogue.step_operands().size();
  if (at < first) {
    const auto* const sum = std::get_if<Binary>(&problem.shape);
    const bool is_residual = problem.epilogue.residual && at + 1 == first;
    return is_residual || (sum != nullptr && sum->kind == BinaryKind::add);
  }
  std::size_t next = first;
  for (const Step& step : problem.epilogue.steps) {
    const auto* const combine = std::get_if<Combine>(&step);
    if (combine != nullptr && next++ == at) return combine->kind == CombineKind::add;
  }
  return false;
}

}  // namespace

PlannedTensors::PlannedTensors(const DataFlow& flow, Precision precision, Plan& plan)
    : flow_(flow), precision_(precision), plan_(plan), alias_(flow.tensors.size()) {
  for (const FlowTensor& tensor : flow.tensors) {
    plan_.tensors.push_back({.name = tensor.name, .type = tensor.type, .shape = tensor.shape});
  }
  for (const FlowLayer& layer : flow.layers) {
    if (layer.view_of && !layer.outputs.empty()) alias_[layer.outputs.front()] = layer.view_of;
  }
}

bool PlannedTensors::is_constant(std::size_t tensor) const {
  return tensor < flow_.tensors.size() && flow_.tensors[tensor].constant;
}

std::size_t PlannedTensors::place(std::size_t tensor, std::int64_t elements) {
  if (const auto put = put_.find(tensor); put != put_.end()) {
    const std::size_t buffer = place(put->second.whole, 0);
    PlanTensor& one = plan_.tensors[tensor];
    one.buffer = buffer;
    one.offset = plan_.tensors[put->second.whole].offset + put->second.first;
    return buffer;
  }
  const auto part = parts_.find(tensor);
  const bool is_part = part != parts_.end();
  if (is_part || (tensor < alias_.size() && alias_[tensor])) {
    const auto [seen, first] = is_part ? part->second : Part{.whole = *alias_[tensor]};
    const std::size_t buffer = place(seen, is_part ? 0 : elements);
    const PlanTensor& whole = plan_.tensors[seen];
    PlanTensor& one = plan_.tensors[tensor];
    one.buffer = buffer;
    one.offset = whole.offset + first;
    one.part_of = whole.part_of;
    if (is_part && !one.part_of) one.part_of = seen;
    return buffer;
  }
  PlanTensor& one = plan_.tensors[tensor];
  if (!one.buffer) {
    one.buffer = plan_.buffers.size();
    plan_.buffers.emplace_back();
  }
  PlanBuffer& buffer = plan_.buffers[*one.buffer];
  const std::int64_t own = one.shape ? element_count(*one.shape) : 0;
  buffer.elements = std::max({buffer.elements, own + one.offset, elements});
  buffer.bytes = buffer.elements * planned_element_bytes(one.type, precision_);
  return *one.buffer;
}

void PlannedTensors::make_part(std::size_t result, std::size_t source, std::int64_t first) {
  parts_[result] = {source, first};
  place(result, 0);
}

void PlannedTensors::put_into(std::size_t part, std::size_t whole, std::int64_t first) {
  put_[part] = {whole, first};
}

std::size_t PlannedTensors::whole_of(std::size_t tensor) const {
  for (;;) {
    const auto part = parts_.find(tensor);
    if (part != parts_.end()) {
      tensor = part->second.whole;
    } else if (tensor < alias_.size() && alias_[tensor]) {
      tensor = *alias_[tensor];
    } else {
      return tensor;
    }
  }
}

std::size_t PlannedTensors::original(std::size_t tensor) const {
  while (tensor < alias_.size() && alias_[tensor]) tensor = *alias_[tensor];
  return tensor;
}

std::string PlannedOperands::obstacle(FlowCall& call, const Problem& problem, std::size_t at) {
  FlowOperand& operand = call.operands[at];
  if (operand.kind == FlowOperand::Kind::band) return "masks a band, which plans do not do yet";
  if (operand.kind != FlowOperand::Kind::tensor) return {};
  const PlanTensor& tensor = plan_.tensors[operand.index];
  const std::string& type = tensor.type;
  const bool chooses = call.gather && at == 1;
  if (chooses && !is_index_type(type)) return "chooses rows by " + type;
  if (chooses) hides_.try_emplace(places_.whole_of(operand.index), false);
  const bool is_constant = places_.is_constant(operand.index);
  const bool is_mask = type == "bool" || (is_index_type(type) && is_added(problem, at));
  if (!chooses && !is_constant && is_mask) return truth_obstacle(problem, operand, at);
  if (!chooses && !is_float(type)) return "works on " + type;
  if (is_constant) return {};
  if (operand.scale != 1 && !multiplies_alone(problem)) return "scales what is no constant";
  if (reads_rows(operand)) return {};
  return "needs rows of " + tensor.name + " repeated, which others read as they are";
}

/// Truth values are 1 and 0; a sum takes them, and integers, as what hides scores.
std::string PlannedOperands::truth_obstacle(const Problem& problem, const FlowOperand& operand,
                                            std::size_t at) {
  const std::size_t whole = places_.whole_of(operand.index);
  const bool hides = is_added(problem, at);
  const auto [known, is_new] = hides_.try_emplace(whole, hides);
  if (known->second != hides) return "masks by truth values that others read as numbers";
  for (PlanTensor* const one : {&plan_.tensors[whole], &plan_.tensors[operand.index]}) {
    one->hides = hides;
    one->type = "bool";
  }
  const auto& layer = flow_.tensors[whole].layer;
  const bool is_made_here = layer && !prepared_[*layer];
  return hides && is_made_here ? "masks by truth values that a step makes" : "";
}

/// A table whose rows a step gathers is stored with these repeated, if all that read the rows want
/// them so (FlowOperand::numbers). False if they do not.
bool PlannedOperands::reads_rows(FlowOperand& operand) {
  const std::size_t rows = places_.original(operand.index);
  const auto [known, is_new] = repeated_.try_emplace(rows, operand.numbers);
  if (!is_new || operand.numbers.empty()) {
    const bool agrees = known->second == operand.numbers;
    operand.numbers.clear();
    return agrees;
  }
  const auto step = std::ranges::find_if(
      plan_.steps, [&](const PlanStep& one) { return one.results.front() == rows; });
  if (step == plan_.steps.end() || !step->work.gather || step->work.gather->outer != 1 ||
      !places_.is_constant(step->work.operands.front().index) || !plan_.tensors[rows].shape) {
    return false;
  }
  const auto times = static_cast<std::int64_t>(operand.numbers.size());
  step->work.gather->inner *= times;
  step->work.operands.front().numbers = std::exchange(operand.numbers, {});
  places_.place(rows, times * element_count(*plan_.tensors[rows].shape));
  // None of the model's any more.
  for (std::size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor) {
    if (places_.original(tensor) == rows) plan_.tensors[tensor].name.clear();
  }
  return true;
}

}  // namespace benanza::analysis
