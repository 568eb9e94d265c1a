#include "suites/plan/planned_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "suites/harness/outcome.h"
#include "suites/plan/constants.h"
#include "suites/plan/step_call.h"

namespace benanza::plan {

Gather::Gather(harness::Backend& backend, const GatheredRows& rows, Precision precision,
               int index_bytes, harness::Operands& places)
    : backend_(&backend), precision_(precision) {
  const std::int64_t row_bytes = rows.inner * element_bytes(precision);
  source_ = places.operand(0, rows.outer * rows.extent * row_bytes);
  indices_ = places.operand(1, rows.count * index_bytes);
  rows_ = {.target = places.result(0, rows.outer * rows.count * row_bytes),
           .source = source_,
           .indices = indices_,
           .index_bytes = index_bytes,
           .outer = rows.outer,
           .extent = rows.extent,
           .count = rows.count,
           .row_bytes = row_bytes};
}

void Gather::upload(std::size_t operand, std::span<const float> values) {
  const std::int64_t wanted =
      operand == 0 ? rows_.outer * rows_.extent * rows_.row_bytes / element_bytes(precision_)
                   : rows_.count;
  if (std::ssize(values) != wanted) {
    throw Error("a constant of " + std::to_string(values.size()) + " elements for " +
                std::to_string(wanted));
  }
  if (operand == 0) {
    backend_->allocator().write(source_, stored(values, to_string(precision_)));
  } else {
    backend_->allocator().write(indices_, stored_indices(values, rows_.index_bytes, rows_.extent));
  }
}

std::vector<float> Gather::download() {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(rows_.outer * rows_.count * rows_.row_bytes));
  backend_->allocator().read(bytes, rows_.target);
  return floats_of(bytes, to_string(precision_));
}

namespace {

std::string step_name(const Plan& plan, std::size_t step) {
  return "step " + std::to_string(step + 1) + " of " + std::to_string(plan.steps.size()) + ", " +
         plan.steps[step].call;
}

/// A constant, whose values the call keeps.
bool is_constant(const Plan& plan, const FlowOperand& operand) {
  return operand.kind != FlowOperand::Kind::tensor || !plan.tensors[operand.index].buffer;
}

/// The operands of a step where the plan has them, and constants in blocks of their own.
class PlacedOperands final : public harness::OwnOperands {
 public:
  PlacedOperands(const Plan& plan, const PlanStep& step, Places& places,
                 harness::Allocator& allocator, Scratch scratch)
      : OwnOperands(allocator), plan_(plan), step_(step), places_(places), scratch_(scratch) {
    const Problem problem = parse(step.work.problem);
    const auto* const copy = std::get_if<Copy>(&problem.shape);
    if (copy == nullptr || step.work.gather) return;
    const std::int64_t size = element_bytes(parse_precision(plan.precision).value());
    copied_ = {element_count(copy->inputs().front().dims) * size,
               element_count(copy->output()) * size};
  }

  std::byte* scratch(std::int64_t bytes) override {
    if (scratch_ == Scratch::own) return block(bytes);
    return places_.shared_scratch(bytes);
  }

  std::byte* operand(std::size_t index, std::int64_t bytes,
                     const harness::MemoryFormat& format) override {
    const FlowOperand& one = step_.work.operands.at(index);
    if (is_constant(plan_, one)) return block(bytes);
    if (copied_ && index == 0) bytes = std::min(bytes, copied_->first);
    if (!one.strides.empty()) return aligned(places_.read(one.index, one.offset, bytes, {}));
    std::byte* const place =
        places_.read(one.index, step_.work.from_offset + one.first, bytes, format);
    return one.first == 0 ? place : aligned(place);
  }
  std::byte* result(std::size_t index, std::int64_t bytes,
                    const harness::MemoryFormat& format) override {
    if (index >= step_.results.size()) return block(bytes);
    if (index == 0 && !step_.work.result_strides.empty()) {
      return aligned(places_.write(step_.results[0], 0, true, bytes, {}));
    }
    if (copied_ && index == 0) bytes = std::min(bytes, copied_->second);
    const bool whole = index > 0 || (!step_.work.part && step_.work.to_offset == 0);
    return places_.write(step_.results[index], index == 0 ? step_.work.to_offset : 0, whole, bytes,
                         format);
  }

 private:
  /// A place inside a tensor may be less aligned than the libraries are told.
  static std::byte* aligned(std::byte* place) {
    if (reinterpret_cast<std::uintptr_t>(place) % alignment_bytes != 0) {
      throw harness::Unsupported("reads a part of a tensor that is not aligned to 16 bytes");
    }
    return place;
  }

  static constexpr std::uintptr_t alignment_bytes = 16;
  const Plan& plan_;
  const PlanStep& step_;
  Places& places_;
  Scratch scratch_;
  /// Bytes from the first element to the last that a copy reads and writes; libraries ask for whole
  /// strides.
  std::optional<std::pair<std::int64_t, std::int64_t>> copied_{};
};

}  // namespace

PlannedModel::PlannedModel(Plan plan, std::span<harness::Backend* const> backends,
                           const Values* values, Scratch scratch, harness::Allocator* memory)
    : plan_(std::move(plan)),
      first_(backends.front()),
      memory_(memory == nullptr ? first_->allocator() : *memory),
      scratch_(scratch),
      places_(plan_, backends, memory_) {
  ModelValues given(plan_, values);
  for (const std::size_t input : plan_.inputs) fill(input, given);
  places_.take_accesses();
  for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
    try {
      places_.begin(step);
      const auto begin = std::chrono::steady_clock::now();
      set_up(step, backends, given);
      stages_.back().setup_seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } catch (const std::exception& error) {
      throw Error(step_name(plan_, step) + ": " + harness::one_line(error.what()));
    }
  }
  places_.begin(plan_.steps.size());
  for (const std::size_t result : plan_.results) places_.read(result, 0, 0, {});
  last_ = places_.take_conversions();
  last_accesses_ = places_.take_accesses();
}

void PlannedModel::fill(std::size_t input, ModelValues& values) {
  const auto count = static_cast<std::int64_t>(values.of(input).size());
  std::byte* place = places_.write(input, 0, true, count * element_bytes_of(plan_, input), {});
  values.stored(input, [&](std::span<const std::byte> part) {
    memory_.write(place, part);
    place += part.size();
  });
}

void PlannedModel::set_up_gather(const PlanStep& one, harness::Backend& backend,
                                 ModelValues& values) {
  const std::vector<FlowOperand>& operands = one.work.operands;
  if (operands.size() != 2) throw Error("gathers rows without indices");
  const auto size = static_cast<int>(element_bytes_of(plan_, operands[1].index));
  Stage stage{.operands = std::make_unique<PlacedOperands>(plan_, one, places_, memory_, scratch_)};
  stage.call = std::make_unique<Gather>(
      backend, *one.work.gather, parse_precision(plan_.precision).value(), size, *stage.operands);
  stage.conversions = places_.take_conversions();
  stage.accesses = places_.take_accesses();
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (!is_constant(plan_, operands[index])) continue;
    const std::vector<float>& numbers = operands[index].numbers;
    const std::size_t length =
        numbers.empty() ? 0 : static_cast<std::size_t>(one.work.gather->inner) / numbers.size();
    const std::span<const float> rows = values.of(operands[index].index);
    if (numbers.empty()) {
      stage.call->upload(index, rows);
    } else {
      stage.call->upload(index, repeated_rows(rows, numbers, length));
    }
  }
  stage.library = &backend;
  stages_.push_back(std::move(stage));
}

void PlannedModel::set_up(std::size_t step, std::span<harness::Backend* const> backends,
                          ModelValues& values) {
  const PlanStep& one = plan_.steps[step];
  if (one.work.gather) return set_up_gather(one, *backends.front(), values);
  const StepCall call = step_call(plan_, one, backends);
  if (call.way.traits.in_place) throw Error("overwrites an operand that the plan keeps");
  Stage stage{.operands = std::make_unique<PlacedOperands>(plan_, one, places_, memory_, scratch_)};
  stage.call = call.way.make(*stage.operands);
  stage.library = call.backend;
  stage.conversions = places_.take_conversions();
  stage.accesses = places_.take_accesses();
  const Constants constants(one.work, call.variant.problem,
                            [&](std::size_t tensor) { return values.of(tensor); });
  for (std::size_t index = 0; index < one.work.operands.size(); ++index) {
    if (!is_constant(plan_, one.work.operands[index])) continue;
    if (const auto unchanged = constants.unchanged(index)) {
      stage.call->upload(index, *unchanged);
    } else {
      stage.call->upload(index, constants.values(index));
    }
  }
  stages_.push_back(std::move(stage));
}

void PlannedModel::run() {
  for (const Stage& stage : stages_) stage.run();
  run_all(last_);
}

void PlannedModel::run_conversions() {
  for (const Stage& stage : stages_) run_all(stage.conversions);
  run_all(last_);
}

std::size_t PlannedModel::conversions() const {
  std::size_t count = last_.size();
  for (const Stage& stage : stages_) count += stage.conversions.size();
  return count;
}

double PlannedModel::difference(std::size_t step, std::span<const float> expected) {
  const PlanStep& one = plan_.steps[step];
  const std::vector<float> made = stages_[step].call->download();
  double largest = 0;
  double distance = 0;
  for (const float value : expected) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  written_by(one.work).for_each(made.size(), [&](std::size_t index, std::size_t place) {
    if (place >= expected.size() || made[index] == expected[place]) return;  // infinity, too
    const auto right = static_cast<double>(expected[place]);
    const double apart = std::abs(static_cast<double>(made[index]) - right);
    // Not a number is as far away as can be.
    distance = std::isnan(apart) ? HUGE_VAL : std::max(distance, apart);
  });
  return distance == 0 ? 0 : distance / std::max(largest, 1e-30);
}

std::optional<Difference> PlannedModel::check(const Values& values, double tolerance) {
  compared_ = zeros_ = 0;
  std::optional<Difference> worst;
  for (std::size_t step = 0; step < stages_.size(); ++step) {
    stages_[step].run();
    const PlanTensor& tensor = plan_.tensors[plan_.steps[step].results.front()];
    const auto expected = values.find(tensor.name);
    if (!expected || tensor.name.empty()) continue;
    ++compared_;
    zeros_ += std::ranges::all_of(*expected, [](float value) { return value == 0; });
    const double found = difference(step, *expected);
    if (!worst || found > worst->relative) worst = {step, tensor.name, found};
    if (!(found <= tolerance)) return Difference{step, tensor.name, found};
  }
  return worst;
}

std::vector<harness::Task> PlannedModel::tasks() const {
  std::vector<std::vector<Access>> accesses;
  std::vector<harness::Task> tasks;
  const auto add = [&](const Calls& conversions, harness::Primitive* call,
                       std::vector<Access> memory, const void* library) {
    harness::Task task;
    const auto add_call = [&](harness::Primitive* one, const void* its_library) {
      task.calls.push_back(one);
      if (!one->shares_workspace()) return;
      memory.push_back({reinterpret_cast<std::uintptr_t>(its_library), 1, true});
    };
    for (const auto& conversion : conversions) {
      add_call(conversion.call.get(), conversion.library);
    }
    if (call != nullptr) add_call(call, library);
    if (task.calls.empty()) return;
    tasks.push_back(std::move(task));
    accesses.push_back(std::move(memory));
  };
  for (const Stage& stage : stages_) {
    add(stage.conversions, stage.call.get(), stage.accesses, stage.library);
  }
  add(last_, nullptr, last_accesses_, first_);
  std::vector<std::vector<std::size_t>> before = dependencies(accesses);
  for (std::size_t task = 0; task < tasks.size(); ++task)
    tasks[task].after = std::move(before[task]);
  return tasks;
}

std::vector<std::size_t> PlannedModel::last_steps() const {
  std::vector<std::size_t> last;
  for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
    const auto buffer = plan_.tensors[plan_.steps[step].results.front()].buffer;
    const bool is_read = std::ranges::any_of(
        plan_.results, [&](std::size_t result) { return plan_.tensors[result].buffer == buffer; });
    if (is_read) last.push_back(step);
  }
  return last;
}

void PlannedModel::poison_results() {
  for (const std::size_t step : last_steps()) {
    const FlowCall& work = plan_.steps[step].work;
    if (!work.gather && !work.into) stages_[step].call->poison_output();
  }
}

std::optional<Difference> PlannedModel::check_results(const Values& values) {
  std::optional<Difference> worst;
  for (const std::size_t step : last_steps()) {
    const std::string& name = plan_.tensors[plan_.steps[step].results.front()].name;
    const auto expected = values.find(name);
    if (!expected || name.empty()) continue;
    const double found = difference(step, *expected);
    if (!worst || found > worst->relative) worst = {step, name, found};
  }
  return worst;
}

std::int64_t PlannedModel::workspace_bytes() const {
  std::int64_t most = 0;
  for (const Stage& stage : stages_) most = std::max(most, stage.call->workspace_bytes());
  return most;
}

}  // namespace benanza::plan
