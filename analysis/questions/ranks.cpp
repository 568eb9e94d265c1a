// benanza-analyze ranks: traces of several ranks of one job: exposed communication, stragglers,
// imbalance, and the bandwidth of all-reduces.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "analysis/model/collective_curves.h"
#include "analysis/model/ranks.h"
#include "analysis/profiles/kineto/rank_trace.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using kineto::RankTrace;

struct RanksOptions {
  std::vector<std::string> traces;
  std::vector<std::string> results;
  CommonFlags output;
};

/// A rank, with medians over its steps.
struct RankRow {
  std::string rank{};
  std::size_t steps = 0;
  RankStepTimes times{};
};

/// A step, over the ranks.
struct StepRow {
  std::string step{};
  double longest = 0;
  double exposed = 0;
  double imbalance = 0;
  std::string slowest{};
};

/// All-reduces of one size, by their shortest time on any rank.
struct ReduceRow {
  double bytes = 0;
  int ranks = 0;
  std::size_t count = 0;
  double seconds = 0;
  std::optional<double> measured{};
  double bandwidth() const { return all_reduce_bandwidth(bytes, ranks, seconds); }
};

double median_of(const std::vector<RankStepTimes>& steps, double RankStepTimes::*part) {
  std::vector<double> values;
  for (const RankStepTimes& step : steps) values.push_back(step.*part);
  return values.empty() ? 0 : median(values);
}

std::vector<RankRow> rank_rows(const std::vector<RankTrace>& traces, const RankTimes& times) {
  std::vector<RankRow> rows;
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    const std::vector<RankStepTimes>& steps = times.of[rank];
    RankRow& row = rows.emplace_back();
    row.rank = traces[rank].name;
    row.steps = steps.size();
    row.times = {.span = median_of(steps, &RankStepTimes::span),
                 .computation = median_of(steps, &RankStepTimes::computation),
                 .communication = median_of(steps, &RankStepTimes::communication),
                 .exposed = median_of(steps, &RankStepTimes::exposed),
                 .waiting = median_of(steps, &RankStepTimes::waiting)};
  }
  return rows;
}

std::vector<StepRow> step_rows(const std::vector<RankTrace>& traces, const RankTimes& times) {
  std::size_t steps = traces.front().steps.size();
  for (const RankTrace& trace : traces) steps = std::min(steps, trace.steps.size());
  std::vector<StepRow> rows;
  for (std::size_t step = 0; step < steps; ++step) {
    StepRow& row = rows.emplace_back();
    row.step = traces.front().step_names[step];
    std::vector<double> computation;
    for (const auto& rank : times.of) {
      computation.push_back(rank[step].computation);
      row.longest = std::max(row.longest, rank[step].span);
      row.exposed = std::max(row.exposed, rank[step].exposed);
    }
    row.imbalance = imbalance(computation);
    row.slowest = traces[static_cast<std::size_t>(std::ranges::max_element(computation) -
                                                  computation.begin())]
                      .name;
  }
  return rows;
}

std::vector<ReduceRow> reduce_rows(const std::vector<RankTrace>& traces) {
  std::map<std::pair<double, int>, std::vector<double>> shortest;
  for (std::size_t step = 0; step < traces.front().steps.size(); ++step) {
    const auto& runs = traces.front().steps[step].collectives;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const CollectiveRun& run = runs[i];
      const bool is_reduce = run.name.find("AllReduce") != std::string::npos;
      if (!is_reduce || !run.bytes || *run.bytes <= 0 || run.ranks.value_or(0) < 2) continue;
      double least = run.span.end - run.span.begin;
      for (const RankTrace& other : traces) {
        if (step >= other.steps.size() || i >= other.steps[step].collectives.size()) continue;
        const CollectiveRun& its = other.steps[step].collectives[i];
        if (its.name == run.name && its.group == run.group)
          least = std::min(least, its.span.end - its.span.begin);
      }
      if (least > 0) shortest[{*run.bytes, *run.ranks}].push_back(least);
    }
  }
  std::vector<ReduceRow> rows;
  for (const auto& [what, seconds] : shortest) {
    rows.push_back({what.first, what.second, seconds.size(), median(seconds), {}});
  }
  return rows;
}

void add_measured(std::vector<ReduceRow>& rows, const std::vector<std::string>& results) {
  if (results.empty()) return;
  const Results read = read_results({results.begin(), results.end()});
  const CollectiveCurves curves = collective_curves(read.measurements, Precision::fp32, "");
  for (ReduceRow& row : rows) {
    if (const CollectiveCurve* curve = curves.find(CollectiveKind::all_reduce, row.ranks)) {
      row.measured = curve->seconds(row.bytes);
    }
  }
}

void add_sentences(Section& section, const std::vector<RankRow>& ranks, const RankTimes& times) {
  const auto least_waiting =
      std::ranges::min_element(ranks, {}, [](const RankRow& row) { return row.times.waiting; });
  const auto most_waiting =
      std::ranges::max_element(ranks, {}, [](const RankRow& row) { return row.times.waiting; });
  const double difference = most_waiting->times.waiting - least_waiting->times.waiting;
  constexpr double worth_saying = 0.02;
  if (ranks.size() > 1 && difference > worth_saying * most_waiting->times.span) {
    section.add(
        fmt::format("rank {} is waited for: rank {} spends {:.3f} ms of a step in "
                    "collectives until it comes",
                    least_waiting->rank, most_waiting->rank, difference * 1e3));
  }
  if (times.unmatched > 0) {
    section.add(fmt::format("{} steps are of other collectives on some rank: waiting not known",
                            times.unmatched));
  }
}

Section ranks_section(const std::vector<RankTrace>& traces, const RanksOptions& options) {
  std::vector<std::vector<RankStep>> steps;
  for (const RankTrace& trace : traces) steps.push_back(trace.steps);
  const RankTimes times = rank_times(steps);
  const std::vector<RankRow> ranks = rank_rows(traces, times);
  std::vector<ReduceRow> reduces = reduce_rows(traces);
  add_measured(reduces, options.results);
  Section section;
  section.facts["ranks"] = ranks.size();
  section.facts["unmatched_steps"] = times.unmatched;
  section.csv_facts.clear();
  add_sentences(section, ranks, times);
  for (const RankTrace& trace : traces) {
    for (const std::string& remark : trace.remarks) {
      section.add(fmt::format("rank {}: {}", trace.name, remark));
    }
  }
  const auto part = [](double RankStepTimes::*member) {
    return [member](const RankRow& row) { return row.times.*member; };
  };
  const Table<RankRow> by_rank{
      {"rank", "rank", &RankRow::rank},
      {"steps", "steps", &RankRow::steps},
      {"step ms", "span_seconds", milli, part(&RankStepTimes::span)},
      {"computing", "computation_seconds", milli, part(&RankStepTimes::computation)},
      {"communicating", "communication_seconds", milli, part(&RankStepTimes::communication)},
      {"exposed", "exposed_seconds", milli, part(&RankStepTimes::exposed)},
      {"waiting", "waiting_seconds", milli, part(&RankStepTimes::waiting)}};
  section.add(by_rank.sheet(ranks, {.name = "by_rank",
                                    .caption = "medians of a step, ms",
                                    .note = "exposed: communication while nothing is computed; "
                                            "waiting: in collectives, for the last rank",
                                    .all_rows = true}));
  const Table<StepRow> by_step{{"step", "step", &StepRow::step},
                               {"longest ms", "longest_seconds", milli, &StepRow::longest},
                               {"most exposed", "exposed_seconds", milli, &StepRow::exposed},
                               {"imbalance", "imbalance", percent, &StepRow::imbalance},
                               {"computes longest", "computes_longest", &StepRow::slowest}};
  section.add(by_step.sheet(step_rows(traces, times), {.name = "by_step", .caption = "steps"}));
  if (reduces.empty()) return section;
  constexpr Unit giga{1e-9, 2};
  Table<ReduceRow> table{{"bytes", "bytes", whole, &ReduceRow::bytes},
                         {"ranks", "ranks", &ReduceRow::ranks},
                         {"count", "count", &ReduceRow::count},
                         {"us", "seconds", micro, &ReduceRow::seconds},
                         {"bus GB/s", "bytes_per_second", giga, &ReduceRow::bandwidth}};
  table.add_if(!options.results.empty(),
               {{"measured us", "measured_seconds", micro, &ReduceRow::measured}});
  section.add(table.sheet(
      reduces, {.name = "all_reduces", .caption = "all-reduces, on the rank that came last"}));
  return section;
}

void answer(const RanksOptions& options) {
  std::vector<RankTrace> traces;
  for (const std::string& file : options.traces) {
    for (RankTrace& trace : kineto::read_rank_traces(file)) traces.push_back(std::move(trace));
  }
  kineto::join_ranks(traces);
  Page page{.command = "ranks"};
  page.sections.push_back(ranks_section(traces, options));
  publish(page, options.output, "ranks");
}

Action ask_ranks(Flags& flags) {
  const auto options = std::make_shared<RanksOptions>();
  flags.add("traces", options->traces, "PyTorch's traces, one of each rank or merged", "TRACE");
  flags.add("--results", options->results,
            "Results of bench_nccl or bench_mpi: measured times of the all-reduces", "FILE");
  add_output_flags(flags, options->output);
  add_html_flag(flags, options->output);
  return [options] { answer(*options); };
}

}  // namespace

Question ranks_question() {
  return {
      .name = "ranks",
      .help = "Traces of several ranks of one job: exposed communication, stragglers, imbalance",
      .ask = ask_ranks};
}

}  // namespace benanza::analysis
