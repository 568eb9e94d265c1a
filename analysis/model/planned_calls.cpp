#include "analysis/model/planned_calls.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/model/formats.h"

namespace benanza::analysis {
namespace {

class CallChoice {
 public:
  CallChoice(Plan& plan, const PlannedTensors& places,
             const std::vector<std::vector<const Measurement*>>& candidates,
             const std::vector<PlannedJoin>& joins, Precision precision,
             const ConversionCosts& costs)
      : plan_(plan),
        places_(places),
        candidates_(candidates),
        joins_(joins),
        precision_(precision),
        costs_(costs) {}

  std::vector<std::size_t> run() {
    for (std::size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor) {
      tensors_.push_back(format_of(tensor));
    }
    std::size_t join = 0;
    for (std::size_t step = 0; step <= plan_.steps.size(); ++step) {
      for (; join < joins_.size() && joins_[join].before_step == step; ++join) add_join(join);
      if (step < plan_.steps.size()) add_step(step);
    }
    for (const std::size_t result : plan_.results) {
      tensors_[places_.original(result)].row_major_before = steps_.size();
    }
    ChosenFormats chosen = choose_formats(steps_, tensors_, costs_.measured);
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      if (step_of_[at] == no_plan_step) continue;
      const Measurement& call = *steps_[at].candidates[chosen.candidates[at]];
      plan_.steps[step_of_[at]].call = to_string(call.variant);
      plan_.steps[step_of_[at]].seconds = call.seconds();
    }
    for (PlanConversion& one : chosen.conversions) one.before_step = next_step(one.before_step);
    plan_.conversions = std::move(chosen.conversions);
    plan_.seconds = chosen.seconds;
    return joined_as(chosen.candidates);
  }

 private:
  static constexpr std::size_t no_plan_step = static_cast<std::size_t>(-1);

  void add_step(std::size_t step) {
    FormatStep one{.candidates = candidates_[step]};
    const std::vector<FlowOperand>& operands = plan_.steps[step].work.operands;
    for (const FlowOperand& operand : operands) {
      const bool is_placed =
          operand.kind == FlowOperand::Kind::tensor && plan_.tensors[operand.index].buffer;
      if (!is_placed) continue;
      one.reads.push_back(places_.original(operand.index));
      one.operands.push_back(static_cast<std::size_t>(&operand - operands.data()));
      if (!operand.strides.empty()) need_row_major(operand.index);
      if (const auto whole = plan_.tensors[operand.index].part_of) need_row_major(*whole);
    }
    for (const std::size_t result : plan_.steps[step].results) {
      one.writes.push_back(places_.original(result));
      writers_[one.writes.back()] = steps_.size();
    }
    add(std::move(one), step);
  }

  /// Before the step that comes next.
  void need_row_major(std::size_t tensor) {
    auto& before = tensors_[places_.original(tensor)].row_major_before;
    before = std::min(before.value_or(steps_.size()), steps_.size());
  }

  void add(FormatStep step, std::size_t number) {
    steps_.push_back(std::move(step));
    step_of_.push_back(number);
  }

  /// A step that takes no time: one candidate for each format in which the parts make up the whole.
  void add_join(std::size_t index) {
    const JoinedTensor& joined = joins_[index].joined;
    FormatStep step{.writes = {joined.whole}};
    Measurement row_major;
    std::vector<bool> as_written;
    double copies = 0;
    bool all_in_place = true;
    for (const JoinedTensor::Part& part : joined.parts) {
      step.reads.push_back(part.tensor);
      // Where it lies in another format, there is no room for a row-major one.
      as_written.push_back(part.in_place && part.joined);
      all_in_place = all_in_place && part.in_place;
      if (!part.in_place) copies += tensors_[part.tensor].conversion_seconds;
    }
    row_major.repetition_seconds = {copies};
    step.candidates.push_back(&calls_.emplace_back(std::move(row_major)));
    step.as_written.push_back(std::move(as_written));
    if (all_in_place) add_blocks(joined, step);
    calls_of_join_.push_back(step.candidates.size());
    if (joined.has_operands_of_call) {
      for (const Measurement* const call : joins_[index].calls) {
        step.candidates.push_back(call);
        step.as_written.emplace_back(step.reads.size(), false);
      }
    }
    writers_[joined.whole] = steps_.size();
    steps_of_join_.push_back(steps_.size());
    add(std::move(step), no_plan_step);
  }

  /// In each format of blocks that the first part may have.
  void add_blocks(const JoinedTensor& joined, FormatStep& step) {
    const auto found = writers_.find(joined.parts.front().tensor);
    if (found == writers_.end()) return;
    const FormatStep& writer = steps_[found->second];
    std::set<std::string> formats;
    for (const Measurement* const call : writer.candidates) {
      const auto place = std::ranges::find(writer.writes, joined.parts.front().tensor);
      const auto result = static_cast<std::size_t>(place - writer.writes.begin());
      formats.insert(result_format(*call, result, false));
    }
    for (const std::string& like : formats) {
      Measurement call;
      for (const JoinedTensor::Part& part : joined.parts) {
        const auto format = joined_format(like, part.dims, joined.axis);
        if (format) call.operand_formats.push_back(*format);
      }
      const auto whole = joined_format(like, joined.dims, joined.axis);
      if (!whole || call.operand_formats.size() != joined.parts.size()) continue;
      call.result_formats = {*whole};
      call.repetition_seconds = {0};
      step.candidates.push_back(&calls_.emplace_back(std::move(call)));
      step.as_written.emplace_back(joined.parts.size(), true);
    }
  }

  /// The step of the plan that is this one or comes next.
  std::size_t next_step(std::size_t at) const {
    while (at < step_of_.size() && step_of_[at] == no_plan_step) ++at;
    return at < step_of_.size() ? step_of_[at] : plan_.steps.size();
  }

  /// Writes the chosen formats down.
  std::vector<std::size_t> joined_as(const std::vector<std::size_t>& chosen) {
    std::vector<std::size_t> apart;
    for (std::size_t index = 0; index < joins_.size(); ++index) {
      const JoinedTensor& joined = joins_[index].joined;
      const std::size_t at = steps_of_join_[index];
      if (chosen[at] >= calls_of_join_[index]) apart.push_back(joined.layer);
      const Measurement& call = *steps_[at].candidates[chosen[at]];
      const auto name = [](const std::vector<std::string>& names, std::size_t place) {
        return place < names.size() ? names[place] : std::string();
      };
      PlanTensor& whole = plan_.tensors[joined.whole];
      whole.joined_format = name(call.result_formats, 0);
      for (std::size_t part = 0; part < joined.parts.size(); ++part) {
        whole.joins.push_back({.tensor = joined.parts[part].tensor,
                               .first = joined.parts[part].first,
                               .format = name(call.operand_formats, part)});
        if (!joined.parts[part].in_place) add_copy(next_step(at), joined.parts[part].tensor);
      }
    }
    std::ranges::stable_sort(plan_.conversions, {}, &PlanConversion::before_step);
    return apart;
  }

  void add_copy(std::size_t before_step, std::size_t tensor) {
    const std::string row_major(row_major_format);
    plan_.conversions.push_back({.before_step = before_step,
                                 .tensor = tensor,
                                 .from = row_major,
                                 .to = row_major,
                                 .seconds = tensors_[tensor].conversion_seconds});
  }

  FormatTensor format_of(std::size_t tensor) const {
    const auto& shape = plan_.tensors[tensor].shape;
    if (!shape) return {};
    const std::int64_t elements = element_count(*shape);
    const bool has_channels = shape->size() > 2 && (*shape)[1] > 1;
    const double seconds =
        costs_.overhead_seconds +
        (costs_.bytes_per_second ? 2 * static_cast<double>(elements * element_bytes(precision_)) /
                                       *costs_.bytes_per_second
                                 : 0);
    FormatTensor found{.is_image = has_channels && elements > (*shape)[0] * (*shape)[1],
                       .conversion_seconds = seconds};
    if (found.is_image && costs_.copy_seconds) {
      const std::int64_t channels = (*shape)[1];
      const std::int64_t positions = elements / ((*shape)[0] * channels);
      found.from_row_major_seconds = copy_seconds((*shape)[0], channels, positions);
      found.to_row_major_seconds = copy_seconds((*shape)[0], positions, channels);
    }
    return found;
  }

  /// Of batch transpositions; empty if that was not measured.
  std::optional<double> copy_seconds(std::int64_t batch, std::int64_t rows,
                                     std::int64_t columns) const {
    const auto copy = transposition(batch, rows, columns);
    return copy ? costs_.copy_seconds(*copy) : std::nullopt;
  }

  Plan& plan_;
  const PlannedTensors& places_;
  const std::vector<std::vector<const Measurement*>>& candidates_;
  const std::vector<PlannedJoin>& joins_;
  Precision precision_;
  const ConversionCosts& costs_;
  std::vector<FormatTensor> tensors_;
  std::vector<FormatStep> steps_;
  /// Of the plan, or no_plan_step.
  std::vector<std::size_t> step_of_;
  /// By tensor, the step here.
  std::map<std::size_t, std::size_t> writers_;
  /// Of each join: its step here, and how many of that one's candidates are no calls.
  std::vector<std::size_t> steps_of_join_;
  std::vector<std::size_t> calls_of_join_;
  /// What stands for them.
  std::deque<Measurement> calls_;
};

}  // namespace

std::vector<std::size_t> choose_calls(
    Plan& plan, const PlannedTensors& places,
    const std::vector<std::vector<const Measurement*>>& candidates,
    const std::vector<PlannedJoin>& joins, Precision precision, const ConversionCosts& costs) {
  return CallChoice(plan, places, candidates, joins, precision, costs).run();
}

}  // namespace benanza::analysis
