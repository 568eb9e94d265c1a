// benanza-analyze deepbench: DeepBench's rows as measured here, compared with the published times.

#include <fmt/format.h>

#include <memory>

#include "analysis/questions/deepbench/sums.h"
#include "analysis/questions/question.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

Cell tera_cell(std::optional<double> flops_per_second) {
  if (!flops_per_second) return {.shown = "-", .value = nullptr};
  return {fmt::format("{:.3f}", *flops_per_second * 1e-12), *flops_per_second};
}

/// "ok", or the reason why there is no time.
std::string why_not(const LayerTime& time) {
  if (time.status == LayerStatus::measured) return std::string(to_string(Status::ok));
  return time.gaps.empty() ? time.note : time.gaps.front().reason;
}

Sheet rows_sheet(const Graph& graph, const std::vector<DeepBenchRow>& rows) {
  Sheet sheet{.name = "rows",
              .caption = "every row, its fastest verified call",
              .columns = {{"list", "list"},
                          {"row", "row", false, any_width},
                          {"ms", "seconds", true},
                          {"TFLOP/s", "flops_per_second", true},
                          {"call", "call"},
                          {"status", "status"},
                          {"published ms", "published_seconds", true},
                          {"on", "published_on"},
                          {"of published", "ratio", true}},
              .rows = {},
              .largest_by = 2};
  for (const DeepBenchRow& row : rows) {
    const Layer& layer = graph.layers[row.layer];
    const std::optional<double> seconds = row.time->seconds;
    const auto* fastest = row.fastest_published();
    const auto published = fastest == nullptr ? std::nullopt : std::optional(fastest->second);
    sheet.rows.push_back(
        {text_cell(row.problem.op), text_cell(layer.name), ms_cell(seconds),
         tera_cell(seconds && layer.flops ? std::optional(*layer.flops / *seconds) : std::nullopt),
         text_cell(calls_text(*row.time)), text_cell(why_not(*row.time)), ms_cell(published),
         text_cell(fastest == nullptr ? "" : fastest->first),
         ratio_cell(seconds && published ? std::optional(*seconds / *published) : std::nullopt)});
  }
  return sheet;
}

Sheet lists_sheet(const std::map<std::string, ListSum>& sums) {
  Sheet sheet{.name = "lists",
              .caption = "sums over the rows that have a time",
              .columns = {{"list", "list"},
                          {"rows", "rows", true},
                          {"with a time", "timed", true},
                          {"ms", "seconds", true},
                          {"GFLOP", "flops", true},
                          {"TFLOP/s", "flops_per_second", true}},
              .rows = {},
              .all_rows = true};
  for (const auto& [list, sum] : sums) {
    const bool any = sum.timed > 0;
    sheet.rows.push_back(
        {text_cell(list), count_cell(sum.rows), count_cell(sum.timed),
         ms_cell(any ? std::optional(sum.seconds) : std::nullopt),
         any ? Cell{fmt::format("{:.3f}", sum.flops * 1e-9), sum.flops} : Cell{"-", nullptr},
         tera_cell(any ? std::optional(sum.flops / sum.seconds) : std::nullopt)});
  }
  return sheet;
}

/// Sums compared with the published ones for each hardware, and a plot of them for each list.
void add_published(Section& section, const std::vector<DeepBenchRow>& rows) {
  Sheet sheet{.name = "published",
              .caption = "rows that have a time here and there",
              .columns = {{"list", "list"},
                          {"hardware", "hardware"},
                          {"rows", "rows", true},
                          {"here ms", "seconds", true},
                          {"published ms", "published_seconds", true},
                          {"of published", "ratio", true}},
              .rows = {},
              .all_rows = true};
  std::map<std::string, Bars> plots;
  for (const auto& [of, sum] : common_sums(rows)) {
    const auto& [list, hardware] = of;
    sheet.rows.push_back({text_cell(list), text_cell(hardware), count_cell(sum.rows),
                          ms_cell(sum.here_seconds), ms_cell(sum.published_seconds),
                          ratio_cell(sum.here_seconds / sum.published_seconds)});
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
  if (sheet.rows.empty()) {
    section.add("published: nothing for these rows at this precision");
    return;
  }
  section.add(std::move(sheet));
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

std::vector<DeepBenchRow> rows_of(const Graph& graph, const std::vector<LayerTime>& times,
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

std::optional<Section> answer(const Subject& subject) {
  const Graph& graph = subject.graph;
  const std::vector<LayerTime> times = layer_times(graph, subject.measurements(), subject.filter);
  const Published published(published_table());
  const std::vector<DeepBenchRow> rows = rows_of(graph, times, published, subject.filter.precision);
  if (rows.empty()) return std::nullopt;
  if (!subject.allow_missing) require_complete(graph, times, to_string(subject.filter.precision));

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

struct Options {
  CommonFlags common;
  std::string html;
};

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  add_common_flags(flags, options->common);
  flags.add("--html", options->html, "Also write the answer as an HTML page with plots", "HTML");
  return [options] {
    const Inputs inputs = read_inputs(options->common);
    const Page page = page_of("deepbench", inputs, answer);
    if (page.sections.empty()) {
      throw Error(
          "no graph is one of DeepBench's lists: benanza-generate --list models/deepbench/training "
          "makes one");
    }
    if (!options->html.empty()) write_file(options->html, page_html(page, "Benanza: DeepBench"));
    print(page, inputs);
  };
}

}  // namespace

Question deepbench_question() {
  return {.name = "deepbench",
          .help = "DeepBench's lists: time and TFLOP/s of every row, beside what was published",
          .section = answer,
          .ask = ask,
          .chapter = "DeepBench",
          .place = 15};
}

}  // namespace benanza::analysis
