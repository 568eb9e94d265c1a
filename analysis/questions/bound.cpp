// benanza-analyze bound: the lower-bound latency of models from measurements.

#include <algorithm>
#include <iterator>
#include <memory>

#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/latency.h"
#include "analysis/questions/bound/report.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/layouts.h"

namespace benanza::analysis {
namespace {

/// Adds the columns of the report's table of all models.
void add_headlines(Section& section, const Subject& subject, const BoundReport& report) {
  const Bounds& bounds = report.bounds;
  const bool is_cold = subject.filter.cold;
  const std::string latencies = is_cold ? "Sums of cold calls, and latency where it was measured"
                                        : "Lower bound, and latency where it was measured";
  const std::string ratios = "Benanza ratio: LBL / measured latency";
  const Profile* profile = latency_profile(subject);
  const auto measured =
      profile == nullptr ? std::nullopt : std::optional(model_latency(*profile)->seconds);
  const auto add_time = [&](const std::string& title, std::optional<double> seconds) {
    const auto plotted = seconds ? std::optional(*seconds * 1e3) : std::nullopt;
    section.headlines.push_back({title, cell(seconds, milli), latencies, plotted, "ms"});
  };
  const auto add_ratio = [&](const std::string& title, double seconds) {
    const auto ratio = measured ? std::optional(seconds / *measured) : std::nullopt;
    section.headlines.push_back({title, cell(ratio, thousandths), ratios, ratio, ""});
  };
  if (const auto floor = report.ladder.floor.model.seconds()) add_time("floor ms", floor);
  add_time("with fusion ms", report.ladder.fused_seconds);
  if (report.seen) add_time("seen-best ms", report.seen->seconds);
  const SumNames names = sum_names(subject.filter);
  add_time(std::string(names.sequential) + " ms", bounds.sequential.seconds);
  add_time(std::string(names.parallel) + " ms", bounds.parallel.seconds);
  section.headlines.push_back(
      {"framework", cell(profile == nullptr ? "" : framework_name(*profile, subject.filter))});
  add_time("measured ms", measured);
  if (is_cold) return;
  add_ratio("BR sequential", bounds.sequential.seconds);
  add_ratio("BR parallel", bounds.parallel.seconds);
}

Section answer(const Subject& subject) {
  BoundReport report =
      make_report(subject.graph, subject.measurements(), subject.filter, subject.movement());
  require_complete(subject, report.times);
  for (const Profile& profile : subject.inputs.profiles) {
    if (!is_of(profile, subject.graph)) continue;
    Comparison comparison =
        compare(subject.graph, report.times, report.bounds, subject.movement(), profile);
    std::ranges::copy(
        differences(profile, subject.filter.precision, subject.inputs.results.systems),
        std::back_inserter(comparison.warnings));
    report.comparisons.push_back(std::move(comparison));
  }
  report.ladder =
      make_ladder(subject.graph, subject.measurements(), subject.filter, subject.movement(),
                  report.times, device_rates(subject.inputs.results, subject.filter));
  add_frameworks(report.ladder, subject.graph, report.comparisons);
  report.seen = make_seen(subject, report.ladder);
  report.sequences = sequences_of(subject);
  report.plans = plans_of(subject);
  report.weights = large_weights(subject);
  Section section = bound_section(report, subject.inputs.results.peaks);
  add_headlines(section, subject, report);
  return section;
}

struct Options {
  CommonFlags common;
  bool layouts = false;
};

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  add_common_flags(flags, options->common);
  add_seen_flag(flags, options->common);
  add_sequence_flag(flags, options->common);
  add_plan_flag(flags, options->common);
  flags.add("--layouts", options->layouts, "The answer of `benanza-analyze layouts` instead");
  return [options] {
    const Inputs inputs = read_inputs(options->common);
    require_seen(inputs);
    print(page_of("bound", inputs, options->layouts ? layouts_section : answer), inputs);
  };
}

}  // namespace

Question bound_question() {
  return {.name = "bound",
          .help = "Lower-bound latency, sequential and parallel",
          .section = [](const Subject& subject) { return std::optional(answer(subject)); },
          .ask = ask,
          .place = 10};
}

}  // namespace benanza::analysis
