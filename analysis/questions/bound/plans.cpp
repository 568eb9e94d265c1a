// floor <= bound <= predicted plan <= measured plan <= framework.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// A run of a plan beside what it was made of.
struct PlanLadder {
  const PlanRun* run = nullptr;
  double bound_seconds = 0;
  double measured_seconds = 0;

  std::optional<double> branch_seconds() const {
    if (run->branch_seconds.empty()) return std::nullopt;
    return typical(run->branch_seconds);
  }
  double predicted_extra() const { return run->predicted_seconds - bound_seconds; }
  double measured_extra() const { return measured_seconds - run->predicted_seconds; }
  /// By which the calls take longer than by themselves, conversions apart.
  double steps_extra() const {
    return measured_extra() + run->predicted_gap_seconds -
           (run->conversion_seconds - run->predicted_conversion_seconds);
  }
};

std::string ladder_text(const PlanLadder& plan, const Ladder& ladder) {
  std::vector<std::pair<std::string, double>> rungs;
  if (const auto least = ladder.floor.model.seconds()) rungs.emplace_back("floor", *least);
  rungs.emplace_back(plan.run->fused ? "with fusion" : "LBL", plan.bound_seconds);
  rungs.emplace_back("predicted", plan.run->predicted_seconds);
  rungs.emplace_back("measured", plan.measured_seconds);
  for (const Rung& rung : ladder.frameworks) rungs.emplace_back(rung.name, rung.seconds);
  std::string text;
  double below = 0;
  for (const auto& [name, seconds] : rungs) {
    if (!text.empty()) text += below > seconds ? " > " : " <= ";
    text += fmt::format("{} {:.3f}", name, seconds * 1e3);
    below = seconds;
  }
  return text + " ms";
}

/// Why calls take longer in the plan than by themselves.
std::string steps_text(const PlanLadder& plan) {
  const PlanRun& run = *plan.run;
  if (run.step_seconds == 0) return {};
  const double predicted =
      run.predicted_seconds - run.predicted_conversion_seconds - run.predicted_gap_seconds;
  return fmt::format(
      ": {:+.3f} until their data are in the caches, {:+.3f} from then on, {:+.3f} of whole runs "
      "over their calls",
      (run.step_seconds - run.repeated_seconds) * 1e3, (run.repeated_seconds - predicted) * 1e3,
      (plan.measured_seconds - run.conversion_seconds - run.step_seconds) * 1e3);
}

/// Empty if the run does not say.
std::string predicted_gain_text(const PlanRun& run) {
  const auto& gain = run.predicted_branch_gain_seconds;
  if (!gain) return "";
  return fmt::format(" where it is faster; {:+.3f} one group of steps at a time", -*gain * 1e3);
}

void add_causes(Section& section, const PlanLadder& plan) {
  const PlanRun& run = *plan.run;
  section.add(Entry{
      "  predicted",
      fmt::format(
          "{:+.3f} ms: {:.3f} of conversions between formats, {}the rest "
          "because formats must agree, and layers that only move bytes{}",
          plan.predicted_extra() * 1e3, run.predicted_conversion_seconds * 1e3,
          run.predicted_gap_seconds == 0
              ? std::string()
              : fmt::format("{:.3f} of calls behind each other, ", run.predicted_gap_seconds * 1e3),
          run.prepared_seconds == 0 ? std::string()
                                    : fmt::format("; {:.3f} of the bound are left to the caller",
                                                  run.prepared_seconds * 1e3))});
  section.add(Entry{
      "  measured",
      fmt::format("{:+.3f} ms: {} conversions take {:.3f} ({:+.3f}); running {} calls back "
                  "to back adds {:+.3f} over timing each alone{}{}{}",
                  plan.measured_extra() * 1e3, run.conversions, run.conversion_seconds * 1e3,
                  (run.conversion_seconds - run.predicted_conversion_seconds) * 1e3, run.steps,
                  plan.steps_extra() * 1e3,
                  run.predicted_gap_seconds == 0 ? std::string()
                                                 : fmt::format(", of which {:.3f} were expected",
                                                               run.predicted_gap_seconds * 1e3),
                  steps_text(plan), interruption_text(run.seconds))});
  if (const auto branches = plan.branch_seconds()) {
    section.add(
        Entry{"  in branches",
              fmt::format("{:.3f} ms, {:+.3f}: independent steps in parallel{}", *branches * 1e3,
                          (*branches - plan.measured_seconds) * 1e3, predicted_gain_text(run))});
  }
  section.add(Entry{"  checked", run.checked_tensors == 0
                                     ? std::string("not checked: bench_plan ran without --values")
                                     : fmt::format("{} tensors agree with the file of values",
                                                   run.checked_tensors)});
}

}  // namespace

void add_sequences(Section& section, const BoundReport& report) {
  const Table<const SequenceRun*> table{
      {"", "backends", &SequenceRun::backends},
      {"", "fused", &SequenceRun::fused},
      {"", "calls", &SequenceRun::calls},
      {"", "seconds", milli, [](const SequenceRun* run) { return typical(run->seconds); }},
      {"", "alone_seconds", milli, &SequenceRun::alone_seconds}};
  section.facts["sequences"] = table.json(report.sequences);
  for (const SequenceRun* const run : report.sequences) {
    const double seconds = typical(run->seconds);
    section.add(Entry{
        run->fused ? "in sequence, fused" : "in sequence",
        fmt::format("{:.3f} ms{}, {} calls of {} back to back; their sum alone is {:.3f} of it",
                    seconds * 1e3, interruption_text(run->seconds), run->calls, run->backends(),
                    run->alone_seconds / seconds)});
  }
}

void add_sequence_ratios(Section& section, const BoundReport& report, double latency_seconds) {
  std::string text;
  for (const SequenceRun* const run : report.sequences) {
    text += fmt::format("{}{:.3f}{}", text.empty() ? "" : ", ",
                        typical(run->seconds) / latency_seconds, run->fused ? " fused" : "");
  }
  if (!text.empty()) section.add(Entry{"  in sequence", text + " of this latency"});
}

void add_plans(Section& section, const BoundReport& report) {
  std::vector<PlanLadder> plans;
  for (const PlanRun* const run : report.plans) {
    plans.push_back({.run = run,
                     .bound_seconds = run->fused ? report.ladder.fused_seconds
                                                 : report.ladder.sequential_seconds,
                     .measured_seconds = typical(run->seconds)});
  }
  const Table<PlanLadder> table{
      {"", "fused", [](const PlanLadder& one) { return one.run->fused; }},
      {"", "by_heuristic", [](const PlanLadder& one) { return one.run->by_heuristic; }},
      {"", "steps", [](const PlanLadder& one) { return one.run->steps; }},
      {"", "bound_seconds", milli, &PlanLadder::bound_seconds},
      {"", "predicted_seconds", milli,
       [](const PlanLadder& one) { return one.run->predicted_seconds; }},
      {"", "predicted_conversion_seconds", milli,
       [](const PlanLadder& one) { return one.run->predicted_conversion_seconds; }},
      {"", "predicted_gap_seconds", milli,
       [](const PlanLadder& one) { return one.run->predicted_gap_seconds; }},
      {"", "seconds", milli, &PlanLadder::measured_seconds},
      {"", "branch_seconds", milli, &PlanLadder::branch_seconds},
      {"", "predicted_branch_gain_seconds", milli,
       [](const PlanLadder& one) { return one.run->predicted_branch_gain_seconds; }},
      {"", "conversions", [](const PlanLadder& one) { return one.run->conversions; }},
      {"", "conversion_seconds", milli,
       [](const PlanLadder& one) { return one.run->conversion_seconds; }},
      {"", "checked_tensors", [](const PlanLadder& one) { return one.run->checked_tensors; }}};
  if (!plans.empty()) section.facts["plans"] = table.json(plans);
  for (const PlanLadder& plan : plans) {
    std::string name = plan.run->fused ? "plan" : "plan, apart";
    if (plan.run->by_heuristic) name += ", by heuristic";
    section.add(Entry{std::move(name), ladder_text(plan, report.ladder)});
    add_causes(section, plan);
  }
}

}  // namespace benanza::analysis
