// benanza-analyze bound: the lower-bound latency of models from measurements.

#include <memory>

#include "analysis/profiles/latency.h"
#include "analysis/questions/bound/report.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/findings/judge.h"
#include "analysis/questions/layouts/plans.h"

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
    const auto plotted = in_ms(seconds);
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

Section bound_section_of(const Subject& subject, const BoundReport& report) {
  Section section = bound_section(report, subject.inputs.results.peaks);
  add_headlines(section, subject, report);
  return section;
}

Section bound_in_report(const Subject& subject) {
  return bound_section_of(subject, full_report(subject));
}

/// The same, after what to do about it. Sums of cold calls are no bounds that could be beaten.
Section bound_answer(const Subject& subject) {
  const BoundReport report = full_report(subject);
  Section section = bound_section_of(subject, report);
  if (!subject.filter.cold) begin_with_findings(section, Matter(subject, report));
  return section;
}

struct BoundOptions {
  CommonFlags common;
  bool layouts = false;
};

Action ask_bound(Flags& flags) {
  const auto options = std::make_shared<BoundOptions>();
  add_common_flags(flags, options->common);
  add_seen_flag(flags, options->common);
  add_sequence_flag(flags, options->common);
  add_plan_flag(flags, options->common);
  flags.add("--layouts", options->layouts, "The answer of `benanza-analyze layouts` instead");
  return [options] {
    const Inputs inputs = read_inputs(options->common);
    require_seen(inputs);
    print(page_of("bound", inputs, options->layouts ? layouts_section : bound_answer), inputs);
  };
}

}  // namespace

Question bound_question() {
  return {.name = "bound",
          .help = "Lower-bound latency, sequential and parallel",
          .section = [](const Subject& subject) { return std::optional(bound_in_report(subject)); },
          .ask = ask_bound,
          .place = 10};
}

}  // namespace benanza::analysis
