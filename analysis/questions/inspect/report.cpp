#include "analysis/questions/inspect/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/profiles/latency.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"
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

/// What a finding or a total costs.
template <class Row>
Cell cost_cell(const Row& row) {
  return {.shown = fmt::format("{}{:.1f}", row.at_most ? "<= " : "", row.seconds * 1e6),
          .value = row.seconds};
}

/// A call of an API log, and its layer.
struct LayerCall {
  std::string layer{};
  const LibraryCall* call = nullptr;
};

std::vector<LayerCall> logged_calls(const InspectReport& report) {
  std::vector<LayerCall> list;
  for (std::size_t layer = 0; layer < report.call_of_layer.size(); ++layer) {
    if (const auto& call = report.call_of_layer[layer]) {
      list.push_back({report.graph->layers[layer].name, &report.calls[*call]});
    }
  }
  return list;
}

ordered_json calls_json(const InspectReport& report) {
  const auto of = [](auto member) {
    return [member](const LayerCall& one) { return one.call->*member; };
  };
  const Table<LayerCall> table{{"", "layer", &LayerCall::layer},
                               {"", "library", of(&LibraryCall::library)},
                               {"", "function", of(&LibraryCall::function)},
                               {"", "problem", of(&LibraryCall::problem)},
                               {"", "data", of(&LibraryCall::data)},
                               {"", "layout", of(&LibraryCall::layout)},
                               {"", "algorithm", of(&LibraryCall::algorithm)}};
  return table.json(logged_calls(report));
}

ordered_json totals_json(const Inspection& inspection) {
  const Table<Total> table{
      {"", "difference", &Total::difference}, {"", "what", &Total::what},
      {"", "count", &Total::count},           {"", "seconds", micro, &Total::seconds},
      {"", "at_most", &Total::at_most},       {"", "advice", &Total::advice}};
  return table.json(inspection.totals);
}

/// `is_csv`: with numbers and flags as CSV has them.
Table<Deviation> findings_table(bool is_csv) {
  return {{"", "difference", &Deviation::difference},
          {"", "what", &Deviation::what},
          {"", "layer", &Deviation::layer},
          {"", "operator", &Deviation::node},
          {"", "seconds",
           [=](const Deviation& one) {
             return is_csv ? cell(fmt::format("{}", one.seconds)) : cell(one.seconds, micro);
           }},
          {"", "at_most",
           [=](const Deviation& one) {
             return is_csv ? cell(one.at_most ? "1" : "0") : cell(one.at_most);
           }},
          {"", "detail", &Deviation::detail},
          {"", "advice", &Deviation::advice}};
}

ordered_json facts_of(const InspectReport& report) {
  const Inspection& result = report.inspection;
  const Profile& profile = *report.profile;
  const Quality& quality = result.quality;
  return {{"model", report.graph->model},
          {"batch", report.graph->batch},
          {"framework", profile.framework},
          {"version", profile.named_version()},
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
          {"latency_seconds", result.latency_seconds},
          {"cuda_graph_latency_seconds", result.graph_latency_seconds},
          {"profiled",
           {{"span_seconds", result.timeline.span_seconds},
            {"busy_seconds", result.timeline.busy_seconds},
            {"host_bound_seconds", result.timeline.host_bound_seconds},
            {"wait_scale", result.wait_scale},
            {"work_scale", result.work_scale}}},
          {"remarks", profile.remarks},
          {"totals", totals_json(result)},
          {"findings", findings_table(false).json(result.findings)},
          {"calls", calls_json(report)}};
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
  std::vector<Total> shown;
  std::ranges::copy_if(inspection.totals, std::back_inserter(shown),
                       [](const Total& total) { return total.seconds > 0; });
  if (shown.size() > most) shown.resize(most);
  return bars(
      {.title = "What a run spends beyond the model's calls",
       .series = {{.name = "us"}},
       .unit = "us",
       .decimals = 1},
      shown, [](const Total& total) { return total.what + (total.at_most ? " (at most)" : ""); },
      [](const Total& total) { return total.seconds * 1e6; });
}

Sheet totals_sheet(const Inspection& inspection) {
  const Table<Total> table{{"difference", "", &Total::difference},
                           {"what", "", &Total::what, name_width},
                           {"count", "", &Total::count},
                           {"us", "", micro, cost_cell<Total>},
                           {"what to do", "", &Total::advice, any_width}};
  Sheet sheet = table.sheet(inspection.totals,
                            {.caption = "differences, the most expensive first", .all_rows = true});
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
  std::vector<Deviation> shown;
  std::ranges::copy_if(inspection.findings, std::back_inserter(shown), [&](const Deviation& one) {
    return (one.difference == Difference::wait) == waits;
  });
  const Table<Deviation> table{
      {"layer", "", &Deviation::layer, name_width},
      {"difference", "", &Deviation::difference},
      {"what", "", &Deviation::what, name_width},
      {"us", "", micro, cost_cell<Deviation>},
      {"operator", "", &Deviation::node, any_width},
      {waits ? "launches" : "kernels or problems", "", &Deviation::detail, 2 * name_width}};
  return table.sheet(shown, {.caption = waits ? "waits, the longest first"
                                              : "findings, the most expensive first"});
}

void add_calls(Section& section, const InspectReport& report) {
  if (report.calls.empty()) return;
  const Table<LayerCall> table{
      {"layer", "", &LayerCall::layer, name_width},
      {"library call", "", [](const LayerCall& one) { return one.call->function; }},
      {"data", "",
       [](const LayerCall& one) { return std::string(word_of(one.call->data).value_or("?")); }},
      {"layout", "",
       [](const LayerCall& one) { return std::string(word_of(one.call->layout).value_or("")); }},
      {"chosen", "",
       [](const LayerCall& one) {
         return one.call->algorithm.empty() ? "not logged" : one.call->algorithm;
       },
       any_width}};
  const std::vector<LayerCall> found = logged_calls(report);
  section.add(fmt::format("API logs: {} calls, {} of them found in the model", report.calls.size(),
                          found.size()));
  section.add(table.sheet(found));
}

}  // namespace

Section inspect_section(const InspectReport& report) {
  const Profile& profile = *report.profile;
  Section section{.heading = title(*report.graph) + ": " + profile.framework,
                  .facts = facts_of(report),
                  .csv = findings_table(true).sheet(report.inspection.findings),
                  .csv_facts = {"model", "batch", "framework", "version", "precision"}};
  const std::string version = profile.named_version();
  for (const std::string& word : {version, profile.precision, profile.device}) {
    if (!word.empty()) section.heading += (word == version ? " " : ", ") + word;
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
