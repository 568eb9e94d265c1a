#include "analysis/questions/inspect/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/profiles/latency.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

/// "53 of 54 layers have their operator, ...": how well the run fits the model.
std::string alignment_text(const Quality& quality) {
  std::vector<std::string> parts{
      fmt::format("{} of {} layers have their operator", quality.matched, quality.layers)};
  const auto say = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  say(quality.other_shapes, "with other shapes or attributes");
  say(quality.moved, "in another place");
  say(quality.inside, "inside another's");
  say(quality.missing, "ran nowhere");
  parts.push_back(quality.extra == 0 ? "no operator beyond the model"
                                     : fmt::format("{} of {} operators are not in the model",
                                                   quality.extra, quality.nodes));
  return enumerated(parts, parts.size());
}

ordered_json calls_json(const InspectReport& report) {
  ordered_json list = ordered_json::array();
  for (std::size_t layer = 0; layer < report.call_of_layer.size(); ++layer) {
    if (!report.call_of_layer[layer]) continue;
    const LibraryCall& call = report.calls[*report.call_of_layer[layer]];
    list.push_back({{"layer", report.graph->layers[layer].name},
                    {"library", call.library},
                    {"function", call.function},
                    {"problem", call.problem},
                    {"data", call.data ? ordered_json(to_string(*call.data)) : nullptr},
                    {"layout", call.layout ? ordered_json(to_string(*call.layout)) : nullptr},
                    {"algorithm", call.algorithm}});
  }
  return list;
}

ordered_json facts_of(const InspectReport& report) {
  const Inspection& result = report.inspection;
  const Profile& profile = *report.profile;
  ordered_json totals = ordered_json::array();
  for (const Total& total : result.totals) {
    totals.push_back({{"difference", to_string(total.difference)},
                      {"what", total.what},
                      {"count", total.count},
                      {"seconds", total.seconds},
                      {"at_most", total.at_most},
                      {"advice", total.advice}});
  }
  ordered_json findings = ordered_json::array();
  for (const Finding& finding : result.findings) {
    findings.push_back({{"difference", to_string(finding.difference)},
                        {"what", finding.what},
                        {"layer", finding.layer},
                        {"operator", finding.node},
                        {"seconds", finding.seconds},
                        {"at_most", finding.at_most},
                        {"detail", finding.detail},
                        {"advice", finding.advice}});
  }
  const Quality& quality = result.quality;
  return {{"model", report.graph->model},
          {"batch", report.graph->batch ? ordered_json(*report.graph->batch) : nullptr},
          {"framework", profile.framework},
          {"version", profile.version},
          {"precision", profile.precision},
          {"device", profile.device},
          {"steps", profile.steps},
          {"alignment",
           {{"layers", quality.layers},
            {"matched", quality.matched},
            {"other_shapes", quality.other_shapes},
            {"moved", quality.moved},
            {"inside", quality.inside},
            {"missing", quality.missing},
            {"operators", quality.nodes},
            {"extra", quality.extra}}},
          {"latency_seconds", value_or_null(result.latency_seconds)},
          {"cuda_graph_latency_seconds", value_or_null(result.graph_latency_seconds)},
          {"profiled",
           {{"span_seconds", result.timeline.span_seconds},
            {"busy_seconds", result.timeline.busy_seconds},
            {"host_bound_seconds", result.timeline.host_bound_seconds},
            {"wait_scale", result.wait_scale},
            {"work_scale", result.work_scale}}},
          {"remarks", profile.remarks},
          {"totals", totals},
          {"findings", findings},
          {"calls", calls_json(report)}};
}

Cell cost_cell(double seconds, bool at_most) {
  return {.shown = fmt::format("{}{:.1f}", at_most ? "<= " : "", seconds * 1e6), .value = seconds};
}

void add_times(Section& section, const InspectReport& report) {
  const Inspection& result = report.inspection;
  const Timeline& timeline = result.timeline;
  section.add(Entry{"alignment", alignment_text(result.quality)});
  section.add(
      Entry{"GPU busy",
            fmt::format("{} of the {} that a run takes with the profiler on ({} step{})",
                        milliseconds(timeline.busy_seconds), milliseconds(timeline.span_seconds),
                        report.profile->steps, report.profile->steps == 1 ? "" : "s")});
  if (result.latency_seconds) {
    const double idle = std::max(0.0, 1 - timeline.busy_seconds / *result.latency_seconds);
    section.add(
        Entry{"latency", fmt::format("{} with the profiler off: the GPU is idle for {:.0f}% of it",
                                     milliseconds(*result.latency_seconds), idle * 100)});
  }
  const Profile& profile = *report.profile;
  const auto add_processes = [&](const std::optional<ModelLatency>& latency) {
    if (!latency) return;
    for (const std::string& line : process_sentences(*latency)) section.add(Entry{"", line});
  };
  add_processes(model_latency(profile));
  for (const std::string& line : thread_sentences(profile)) section.add(Entry{"threads", line});
  if (result.graph_latency_seconds) {
    section.add(Entry{"CUDA graph", milliseconds(*result.graph_latency_seconds)});
    add_processes(graph_latency(profile));
  }
  for (const std::string& remark : report.profile->remarks) section.add(Entry{"note", remark});
}

Bars totals_plot(const Inspection& inspection) {
  constexpr std::size_t most = 12;
  Bars bars{.title = "What a run spends beyond the model's calls",
            .series = {{.name = "us"}},
            .unit = "us",
            .decimals = 1};
  for (const Total& total : inspection.totals) {
    if (total.seconds <= 0 || bars.categories.size() == most) continue;
    bars.categories.push_back(total.what + (total.at_most ? " (at most)" : ""));
    bars.series[0].values.emplace_back(total.seconds * 1e6);
  }
  return bars;
}

Sheet totals_sheet(const Inspection& inspection) {
  Sheet sheet{.caption = "differences, the most expensive first",
              .columns = {{"difference", ""},
                          {"what", "", false, name_width},
                          {"count", "", true},
                          {"us", "", true},
                          {"what to do", "", false, any_width}},
              .note = "",
              .all_rows = true};
  for (const Total& total : inspection.totals) {
    sheet.rows.push_back({text_cell(std::string(to_string(total.difference))),
                          text_cell(total.what), count_cell(total.count),
                          cost_cell(total.seconds, total.at_most), text_cell(total.advice)});
  }
  if (inspection.wait_scale < 1) {
    sheet.note = fmt::format(
        "waits: the profiler slows the host down; scaled by {:.2f} to what the latency leaves",
        inspection.wait_scale);
  }
  if (inspection.work_scale < 1) {
    sheet.note += fmt::format(
        "{}kernels: with the profiler on, the GPU is busy for longer than the latency; scaled by "
        "{:.2f} to it",
        sheet.note.empty() ? "" : "\n  ", inspection.work_scale);
  }
  return sheet;
}

/// `waits`: only the waits; otherwise all other findings.
Sheet findings_sheet(const Inspection& inspection, bool waits) {
  Sheet sheet{.caption = waits ? "waits, the longest first" : "findings, the most expensive first",
              .columns = {{"layer", "", false, name_width},
                          {"difference", ""},
                          {"what", "", false, name_width},
                          {"us", "", true},
                          {"operator", "", false, any_width},
                          {waits ? "launches" : "kernels or problems", "", false, 2 * name_width}}};
  for (const Finding& finding : inspection.findings) {
    if ((finding.difference == Difference::wait) != waits) continue;
    sheet.rows.push_back({text_cell(finding.layer),
                          text_cell(std::string(to_string(finding.difference))),
                          text_cell(finding.what), cost_cell(finding.seconds, finding.at_most),
                          text_cell(finding.node), text_cell(finding.detail)});
  }
  return sheet;
}

void add_calls(Section& section, const InspectReport& report) {
  if (report.calls.empty()) return;
  Sheet sheet{.columns = {{"layer", "", false, name_width},
                          {"library call", ""},
                          {"data", ""},
                          {"layout", ""},
                          {"chosen", "", false, any_width}}};
  for (std::size_t layer = 0; layer < report.call_of_layer.size(); ++layer) {
    if (!report.call_of_layer[layer]) continue;
    const LibraryCall& call = report.calls[*report.call_of_layer[layer]];
    sheet.rows.push_back({text_cell(report.graph->layers[layer].name), text_cell(call.function),
                          text_cell(call.data ? std::string(to_string(*call.data)) : "?"),
                          text_cell(call.layout ? std::string(to_string(*call.layout)) : ""),
                          text_cell(call.algorithm.empty() ? "not logged" : call.algorithm)});
  }
  section.add(fmt::format("API logs: {} calls, {} of them found in the model", report.calls.size(),
                          sheet.rows.size()));
  section.add(std::move(sheet));
}

/// One row per finding.
Sheet csv_sheet(const Inspection& inspection) {
  Sheet sheet;
  for (const char* name :
       {"difference", "what", "layer", "operator", "seconds", "at_most", "detail", "advice"}) {
    sheet.columns.push_back({.name = name});
  }
  for (const Finding& finding : inspection.findings) {
    sheet.rows.push_back({text_cell(std::string(to_string(finding.difference))),
                          text_cell(finding.what), text_cell(finding.layer),
                          text_cell(finding.node), text_cell(fmt::format("{}", finding.seconds)),
                          text_cell(finding.at_most ? "1" : "0"), text_cell(finding.detail),
                          text_cell(finding.advice)});
  }
  return sheet;
}

}  // namespace

Section inspect_section(const InspectReport& report) {
  const Profile& profile = *report.profile;
  Section section{.heading = title(*report.graph) + ": " + profile.framework,
                  .facts = facts_of(report),
                  .csv = csv_sheet(report.inspection),
                  .csv_facts = {"model", "batch", "framework", "version", "precision"}};
  for (const std::string& word : {profile.version, profile.precision, profile.device}) {
    if (!word.empty()) section.heading += (word == profile.version ? " " : ", ") + word;
  }
  add_times(section, report);
  section.add(totals_plot(report.inspection));
  if (report.inspection.totals.empty()) section.add("nothing that the model does not ask for");
  section.add(totals_sheet(report.inspection));
  section.add(findings_sheet(report.inspection, false));
  section.add(findings_sheet(report.inspection, true));
  add_calls(section, report);
  return section;
}

}  // namespace benanza::analysis
