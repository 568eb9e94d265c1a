// benanza-analyze deepbench: DeepBench's rows as measured here, compared with the published times.

#include <fmt/format.h>

#include <memory>

#include "analysis/questions/common/question.h"
#include "analysis/questions/deepbench/published.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

/// "ok", or the reason why there is no time.
std::string why_not(const LayerTime& time) {
  if (time.status == LayerStatus::measured) return std::string(to_string(Status::ok));
  return time.gaps.empty() ? time.note : time.gaps.front().reason;
}

Sheet rows_sheet(const Graph& graph, const std::vector<DeepBenchRow>& rows) {
  using Row = DeepBenchRow;
  const auto published = [](const Row& row) {
    const auto* const fastest = row.fastest_published();
    return fastest == nullptr ? std::nullopt : std::optional(fastest->second);
  };
  const Table<Row> table{
      {"list", "list", [](const Row& row) { return row.problem.op; }},
      {"row", "row", [&](const Row& row) { return graph.layers[row.layer].name; }, any_width},
      {"ms", "seconds", milli, [](const Row& row) { return row.time->seconds; }},
      {"TFLOP/s", "flops_per_second", tera,
       [&](const Row& row) { return quotient(graph.layers[row.layer].flops, row.time->seconds); }},
      {"call", "call", [](const Row& row) { return calls_text(*row.time); }},
      {"status", "status", [](const Row& row) { return why_not(*row.time); }},
      {"published ms", "published_seconds", milli, published},
      {"on", "published_on",
       [](const Row& row) {
         const auto* const fastest = row.fastest_published();
         return fastest == nullptr ? std::string() : fastest->first;
       }},
      {"of published", "ratio", thousandths,
       [&](const Row& row) { return quotient(row.time->seconds, published(row)); }}};
  return table.sheet(
      rows, {.name = "rows", .caption = "every row, its fastest verified call", .largest_by = 2});
}

Sheet lists_sheet(const std::map<std::string, ListSum>& sums) {
  using Row = std::pair<const std::string, ListSum>;
  const auto if_timed = [](auto of) {
    return [of](const Row& row) {
      return row.second.timed > 0 ? std::optional<double>(of(row.second)) : std::nullopt;
    };
  };
  const Table<Row> table{
      {"list", "list", &Row::first},
      {"rows", "rows", [](const Row& row) { return row.second.rows; }},
      {"with a time", "timed", [](const Row& row) { return row.second.timed; }},
      {"ms", "seconds", milli, if_timed([](const ListSum& sum) { return sum.seconds; })},
      {"GFLOP", "flops", Unit{1e-9, 3}, if_timed([](const ListSum& sum) { return sum.flops; })},
      {"TFLOP/s", "flops_per_second", tera,
       if_timed([](const ListSum& sum) { return sum.flops / sum.seconds; })}};
  return table.sheet(
      sums, {.name = "lists", .caption = "sums over the rows that have a time", .all_rows = true});
}

/// Sums compared with the published ones for each hardware, and a plot of them for each list.
void add_published(Section& section, const std::vector<DeepBenchRow>& rows) {
  const auto sums = common_sums(rows);
  if (sums.empty()) {
    section.add("published: nothing for these rows at this precision");
    return;
  }
  using Row = std::ranges::range_value_t<decltype(sums)>;
  const Table<Row> table{
      {"list", "list", [](const Row& row) { return row.first.first; }},
      {"hardware", "hardware", [](const Row& row) { return row.first.second; }},
      {"rows", "rows", [](const Row& row) { return row.second.rows; }},
      {"here ms", "seconds", milli, [](const Row& row) { return row.second.here_seconds; }},
      {"published ms", "published_seconds", milli,
       [](const Row& row) { return row.second.published_seconds; }},
      {"of published", "ratio", thousandths,
       [](const Row& row) { return row.second.here_seconds / row.second.published_seconds; }}};
  section.add(table.sheet(
      sums,
      {.name = "published", .caption = "rows that have a time here and there", .all_rows = true}));
  std::map<std::string, Bars> plots;
  for (const auto& [of, sum] : sums) {
    const auto& [list, hardware] = of;
    Bars& plot = plots[list];
    if (plot.series.empty()) {
      plot.title = list + ": ms, over the rows that both have";
      plot.series = {{"here", {}}, {"published", {}}};
      plot.unit = "ms";
    }
    plot.categories.push_back(fmt::format("{} ({} rows)", hardware, sum.rows));
    plot.series[0].values.emplace_back(sum.here_seconds * 1e3);
    plot.series[1].values.emplace_back(sum.published_seconds * 1e3);
  }
  for (auto& [list, plot] : plots) section.add(std::move(plot));
}

/// Explains the two times of a row.
void add_meaning(Section& section, const std::map<std::string, ListSum>& sums) {
  section.add(
      "Here: the fastest call whose result was verified, by the device's own clock. Published "
      "(github.com/baidu-research/DeepBench, da81ba7, 2016 to 2018): the host's clock around 300 "
      "to "
      "400 asynchronous calls, without a check of any result; libraries, not only devices, "
      "differ.");
  if (sums.contains("rnn")) {
    section.add(
        "rnn: here the layer's input is multiplied, too, which the published calls skip: about "
        "twice the products.");
  }
}

std::vector<DeepBenchRow> deepbench_rows_of(const Graph& graph, const std::vector<LayerTime>& times,
                                            const Published& published, Precision precision) {
  std::vector<DeepBenchRow> rows;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    auto problem = listed_problem(graph.layers[layer]);
    if (!problem) continue;
    const PublishedTimes& there = published.times(*problem, precision);
    rows.push_back({.layer = layer,
                    .problem = *std::move(problem),
                    .time = &times[layer],
                    .published = &there});
  }
  return rows;
}

std::optional<Section> deepbench_answer(const Subject& subject) {
  const Graph& graph = subject.graph;
  const std::vector<LayerTime> times = layer_times(graph, subject.measurements(), subject.filter);
  const Published published(published_table());
  const std::vector<DeepBenchRow> rows =
      deepbench_rows_of(graph, times, published, subject.filter.precision);
  if (rows.empty()) return std::nullopt;
  require_complete(subject, times);

  Section section = model_section(graph, subject.filter);
  const auto sums = list_sums(graph, rows);
  std::size_t timed = 0;
  for (const auto& [list, sum] : sums) timed += sum.timed;
  section.add(fmt::format("rows: {}, {} with a verified time", rows.size(), timed));
  section.facts["row_count"] = rows.size();
  section.facts["timed"] = timed;
  section.facts["partial"] = timed < rows.size();
  section.add(lists_sheet(sums));
  add_published(section, rows);
  add_meaning(section, sums);
  section.csv = rows_sheet(graph, rows);
  section.add(section.csv);
  return section;
}

Action ask_deepbench(Flags& flags) {
  const auto options = std::make_shared<CommonFlags>();
  add_common_flags(flags, *options);
  add_html_flag(flags, *options);
  return [options] {
    const Inputs inputs = read_inputs(*options);
    const Page page = page_of("deepbench", inputs, deepbench_answer);
    if (page.sections.empty()) {
      throw Error(
          "no graph is one of DeepBench's lists: benanza-generate --list models/deepbench/training "
          "makes one");
    }
    publish(page, *options, "DeepBench");
  };
}

}  // namespace

Question deepbench_question() {
  return {.name = "deepbench",
          .help = "DeepBench's lists: time and TFLOP/s of every row, beside what was published",
          .section = deepbench_answer,
          .ask = ask_deepbench,
          .chapter = "DeepBench",
          .place = 15};
}

}  // namespace benanza::analysis
