#include "suites/plan/planned_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/problem/name.h"
#include "core/problem/problem.h"
#include "suites/harness/run/runner.h"
#include "suites/plan/constants.h"

namespace benanza::plan {
namespace {

std::string step_name(const Plan& plan, std::size_t step) {
  return "step " + std::to_string(step + 1) + " of " + std::to_string(plan.steps.size()) + ", " +
         plan.steps[step].call;
}

Precision precision_of(const Plan& plan) {
  const auto precision = parse_precision(plan.precision);
  if (!precision) throw Error(plan.model + ": the plan has an unknown precision");
  return *precision;
}

/// The operands of a step where the plan has them: in the arena, and constants in blocks of their
/// own.
class PlacedOperands final : public harness::OwnOperands {
 public:
  PlacedOperands(const Plan& plan, const PlanStep& step, std::byte* arena,
                 harness::Allocator& allocator)
      : OwnOperands(allocator),
        plan_(plan),
        step_(step),
        arena_(arena),
        element_(element_bytes(precision_of(plan))) {}

  std::byte* operand(std::size_t index, std::int64_t bytes) override {
    const FlowOperand& one = step_.work.operands.at(index);
    const bool moves = one.kind == FlowOperand::Kind::tensor && plan_.tensors[one.index].buffer;
    return moves ? place(one.index, step_.work.from_offset, bytes) : block(bytes);
  }
  std::byte* result(std::size_t index, std::int64_t bytes) override {
    if (index >= step_.results.size()) return block(bytes);
    return place(step_.results[index], index == 0 ? step_.work.to_offset : 0, bytes);
  }

 private:
  std::byte* place(std::size_t tensor, std::int64_t offset, std::int64_t bytes) const {
    const PlanTensor& one = plan_.tensors[tensor];
    const PlanBuffer& buffer = plan_.buffers[one.buffer.value()];
    const std::int64_t start = (one.offset + offset) * element_;
    if (start + bytes > buffer.bytes) {
      throw Error("takes " + std::to_string(bytes) + " bytes where the plan has " +
                  std::to_string(buffer.bytes - start));
    }
    return arena_ + buffer.offset + start;
  }

  const Plan& plan_;
  const PlanStep& step_;
  std::byte* arena_;
  std::int64_t element_;
};

/// The elements of the result that the call writes, in order; empty: all.
std::vector<std::size_t> written(const Problem& problem) {
  std::vector<std::size_t> places;
  const auto* copy = std::get_if<Copy>(&problem.shape);
  if (copy == nullptr) return places;
  Dims index(copy->dims.size(), 0);
  for (std::int64_t moved = 0; moved < copy->moved_elements(); ++moved) {
    std::int64_t to = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) to += index[axis] * copy->to[axis];
    places.push_back(static_cast<std::size_t>(to));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < copy->dims[axis]) break;
      index[axis] = 0;
    }
  }
  return places;
}

/// Of size `count`, the same for the same name.
std::vector<float> random_values(const std::string& name, std::int64_t count) {
  std::minstd_rand random(static_cast<unsigned>(std::hash<std::string>{}(name)) | 1U);
  std::uniform_real_distribution<float> distribution(0.1F, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  // Small enough that sums of many products stay in the range of fp16.
  for (float& value : values) value = distribution(random) * 0.05F;
  return values;
}

harness::Backend& backend_of(const VariantName& call, std::span<harness::Backend* const> backends) {
  const auto found = std::ranges::find(backends, call.backend,
                                       [](const harness::Backend* one) { return one->name(); });
  if (found == backends.end()) throw Error("no library " + call.backend + " in this program");
  return **found;
}

}  // namespace

PlannedModel::PlannedModel(Plan plan, std::span<harness::Backend* const> backends,
                           const Values* values)
    : plan_(std::move(plan)) {
  arena_ = backends.front()->allocator().allocate(plan_.arena_bytes);
  for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
    try {
      set_up(step, backends, values);
    } catch (const std::exception& error) {
      throw Error(step_name(plan_, step) + ": " + harness::one_line(error.what()));
    }
  }
  // The places of inputs may be those of other calls' scratch while calls are set up: last.
  for (std::size_t step = 0; step < plan_.steps.size(); ++step) fill(step, values);
}

void PlannedModel::set_up(std::size_t step, std::span<harness::Backend* const> backends,
                          const Values* values) {
  const PlanStep& one = plan_.steps[step];
  VariantName name = parse_variant_name(one.call);
  harness::Backend& backend = backend_of(name, backends);
  const harness::Variant variant{parse(name.key), name.precision, name.layout,
                                 std::move(name.algorithm)};
  const harness::Way way = backend.way(variant);
  if (way.traits.in_place) throw Error("overwrites an operand that the plan keeps");
  auto operands = std::make_unique<PlacedOperands>(plan_, one, arena_.get(), backend.allocator());
  calls_.push_back(way.make(*operands));
  operands_.push_back(std::move(operands));
  const Constants constants(one.work, variant.problem,
                            [&](std::size_t tensor) { return values_of(tensor, values); });
  for (std::size_t index = 0; index < one.work.operands.size(); ++index) {
    const FlowOperand& operand = one.work.operands[index];
    const bool moves =
        operand.kind == FlowOperand::Kind::tensor && plan_.tensors[operand.index].buffer;
    if (!moves) calls_.back()->upload(index, constants.values(index));
  }
}

/// Uploads the model's inputs through the calls that read them.
void PlannedModel::fill(std::size_t step, const Values* values) {
  const PlanStep& one = plan_.steps[step];
  const std::vector<Operand> operands = inputs(parse(one.work.problem));
  for (std::size_t index = 0; index < one.work.operands.size(); ++index) {
    const FlowOperand& operand = one.work.operands[index];
    if (operand.kind != FlowOperand::Kind::tensor) continue;
    const PlanTensor& tensor = plan_.tensors[operand.index];
    const auto input = std::ranges::find_if(plan_.inputs, [&](std::size_t candidate) {
      return tensor.buffer && plan_.tensors[candidate].buffer == tensor.buffer;
    });
    if (input == plan_.inputs.end()) continue;
    const std::vector<float> all = values_of(*input, values);
    const auto from = static_cast<std::size_t>(one.work.from_offset);
    const auto count = static_cast<std::size_t>(element_count(operands[index].dims));
    if (from + count > all.size()) throw Error(step_name(plan_, step) + ": reads beyond an input");
    calls_[step]->upload(index, std::span(all).subspan(from, count));
  }
}

std::vector<float> PlannedModel::values_of(std::size_t tensor, const Values* values) const {
  const PlanTensor& one = plan_.tensors[tensor];
  if (values == nullptr) {
    if (!one.shape) throw Error(one.name + ": its extents are not known");
    return random_values(one.name, element_count(*one.shape));
  }
  const auto found = values->find(one.name);
  if (!found) throw Error("the file of values has no " + one.name);
  return {found->begin(), found->end()};
}

void PlannedModel::run() {
  for (const auto& call : calls_) call->run();
}

double PlannedModel::difference(std::size_t step, std::span<const float> expected) {
  const PlanStep& one = plan_.steps[step];
  const Problem problem = parse(one.work.problem);
  const std::vector<float> made = calls_[step]->download();
  const auto offset = static_cast<std::size_t>(one.work.to_offset);
  double largest = 0;
  double distance = 0;
  const auto compare = [&](std::size_t place) {
    if (offset + place >= expected.size()) return;
    const auto right = static_cast<double>(expected[offset + place]);
    const auto found = static_cast<double>(made[place]);
    const double apart = std::abs(found - right);
    // Not a number is as far away as can be.
    distance = std::isnan(apart) ? HUGE_VAL : std::max(distance, apart);
  };
  for (const float value : expected) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  const std::vector<std::size_t> places = written(problem);
  if (places.empty()) {
    for (std::size_t place = 0; place < made.size(); ++place) compare(place);
  } else {
    for (const std::size_t place : places) compare(place);
  }
  return distance == 0 ? 0 : distance / std::max(largest, 1e-30);
}

std::optional<Difference> PlannedModel::check(const Values& values, double tolerance) {
  compared_ = 0;
  std::optional<Difference> worst;
  for (std::size_t step = 0; step < calls_.size(); ++step) {
    calls_[step]->run();
    const PlanTensor& tensor = plan_.tensors[plan_.steps[step].results.front()];
    const auto expected = values.find(tensor.name);
    if (!expected || tensor.name.empty()) continue;
    ++compared_;
    const double found = difference(step, *expected);
    if (!worst || found > worst->relative) worst = {step, tensor.name, found};
    if (!(found <= tolerance)) return Difference{step, tensor.name, found};
  }
  return worst;
}

void PlannedModel::upload(std::size_t, std::span<const float>) {
  throw std::logic_error("a plan has no operands");
}
void PlannedModel::poison_output() { throw std::logic_error("a plan has no result"); }
std::vector<float> PlannedModel::download() { throw std::logic_error("a plan has no result"); }

std::int64_t PlannedModel::workspace_bytes() const {
  std::int64_t most = 0;
  for (const auto& call : calls_) most = std::max(most, call->workspace_bytes());
  return most;
}

}  // namespace benanza::plan
