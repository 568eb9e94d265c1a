#include <fmt/format.h>

#include "analysis/questions/report/model_chapter.h"
#include "analysis/render/svg.h"
#include "analysis/questions/inspect/inspect_report.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

std::string cost_of(double seconds, bool at_most) {
  return fmt::format("{}{:.1f}", at_most ? "<= " : "", seconds * 1e6);
}

std::string totals_plot(const Inspection& inspection) {
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  svg::Series series{.name = "us", .values = {}};
  for (const Total& total : inspection.totals) {
    if (total.seconds <= 0 || names.size() == most) continue;
    names.push_back(total.what + (total.at_most ? " (at most)" : ""));
    series.values.emplace_back(total.seconds * 1e6);
  }
  if (names.empty()) return "";
  return svg::bars("What a run spends beyond the model's calls", names, {series}, "us", 1);
}

Sheet totals_sheet(const Inspection& inspection) {
  Sheet sheet{.name = "totals",
              .caption = "differences, the most expensive first",
              .columns = {{"difference", "difference"},
                          {"what", "what"},
                          {"count", "count", true},
                          {"us", "seconds", true},
                          {"what to do", "advice"}},
              .rows = {}};
  for (const Total& total : inspection.totals) {
    sheet.rows.push_back({text_cell(std::string(to_string(total.difference))),
                          text_cell(total.what),
                          count_cell(total.count),
                          {.shown = cost_of(total.seconds, total.at_most), .value = total.seconds},
                          {.shown = total.advice, .value = total.advice}});
  }
  return sheet;
}

Sheet findings_sheet(const Inspection& inspection) {
  Sheet sheet{.name = "findings",
              .caption = "every one of them",
              .columns = {{"layer", "layer"},
                          {"difference", "difference"},
                          {"what", "what"},
                          {"us", "seconds", true},
                          {"operator", "operator"},
                          {"kernels or problems", "detail"}},
              .rows = {}};
  for (const Finding& finding : inspection.findings) {
    sheet.rows.push_back(
        {text_cell(finding.layer),
         text_cell(std::string(to_string(finding.difference))),
         text_cell(finding.what),
         {.shown = cost_of(finding.seconds, finding.at_most), .value = finding.seconds},
         text_cell(finding.node),
         {.shown = shortened(finding.detail, 2 * name_width), .value = finding.detail}});
  }
  return sheet;
}

}  // namespace

Chapter inspect_chapter(const std::string& name, const Profile& profile,
                        const Inspection& inspection) {
  Chapter chapter{.title = name + ": the framework's run", .plots = {}, .section = {}};
  auto& lines = chapter.section.lines;
  std::string run = profile.framework;
  for (const std::string& word : {profile.version, profile.precision, profile.device}) {
    if (!word.empty()) run += (word == profile.version ? " " : ", ") + word;
  }
  lines.push_back(run + ": " + alignment_text(inspection.quality));
  lines.push_back(fmt::format(
      "the GPU is busy for {:.3f} ms of the {:.3f} ms that a run takes with the profiler on",
      inspection.timeline.busy_seconds * 1e3, inspection.timeline.span_seconds * 1e3));
  if (inspection.latency_seconds) {
    lines.push_back(
        fmt::format("latency with the profiler off: {:.3f} ms", *inspection.latency_seconds * 1e3));
  }
  if (inspection.graph_latency_seconds) {
    lines.push_back(
        fmt::format("as a CUDA graph: {:.3f} ms", *inspection.graph_latency_seconds * 1e3));
  }
  for (const std::string& remark : profile.remarks) lines.push_back(remark);
  chapter.plots.push_back(totals_plot(inspection));
  chapter.section.sheets = {totals_sheet(inspection), findings_sheet(inspection)};
  return chapter;
}

}  // namespace benanza::analysis
