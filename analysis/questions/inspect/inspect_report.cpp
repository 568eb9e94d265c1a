#include "analysis/questions/inspect/inspect_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/render/duration.h"
#include "analysis/render/json_value.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}", count, what);
}

std::string cost(double seconds, bool at_most) {
  return fmt::format("{}{:.1f}", at_most ? "<= " : "", seconds * 1e6);
}

std::string heading(const InspectReport& report) {
  const Profile& profile = *report.profile;
  std::string text = title(*report.graph) + ": " + profile.framework;
  for (const std::string& word : {profile.version, profile.precision, profile.device}) {
    if (!word.empty()) text += (word == profile.version ? " " : ", ") + word;
  }
  return text + '\n';
}

std::string time_lines(const InspectReport& report) {
  const Inspection& result = report.inspection;
  const Timeline& timeline = result.timeline;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12}{}\n", name, value);
  };
  line("alignment", alignment_text(result.quality));
  line("GPU busy",
       fmt::format("{} of the {} that a run takes with the profiler on ({} step{})",
                   milliseconds(timeline.busy_seconds), milliseconds(timeline.span_seconds),
                   report.profile->steps, report.profile->steps == 1 ? "" : "s"));
  if (result.latency_seconds) {
    const double idle = std::max(0.0, 1 - timeline.busy_seconds / *result.latency_seconds);
    line("latency", fmt::format("{} with the profiler off: the GPU is idle for {:.0f}% of it",
                                milliseconds(*result.latency_seconds), idle * 100));
  }
  if (result.graph_latency_seconds) {
    line("CUDA graph", milliseconds(*result.graph_latency_seconds));
  }
  for (const std::string& remark : report.profile->remarks) line("note", remark);
  return text;
}

std::string total_lines(const Inspection& result) {
  if (result.totals.empty()) return "\n  nothing that the model does not ask for\n";
  TextTable table({{"difference"}, {"what"}, {"count", true}, {"us", true}, {"what to do"}});
  for (const Total& total : result.totals) {
    table.add({std::string(to_string(total.difference)), shortened(total.what, name_width),
               std::to_string(total.count), cost(total.seconds, total.at_most), total.advice});
  }
  std::string text = '\n' + table.text();
  if (result.wait_scale < 1) {
    text += fmt::format(
        "  waits: the profiler slows the host down; scaled by {:.2f} to what the latency leaves\n",
        result.wait_scale);
  }
  return text;
}

/// `waits`: the waits alone, else all the rest.
std::string finding_lines(const Inspection& result, bool waits, std::size_t rows) {
  TextTable table({{waits ? "longest waits" : "most expensive"},
                   {"what"},
                   {"us", true},
                   {"operator"},
                   {waits ? "launches" : "kernels or problems"}});
  std::size_t shown = 0;
  std::size_t left = 0;
  for (const Finding& finding : result.findings) {
    if ((finding.difference == Difference::wait) != waits) continue;
    if (finding.difference == Difference::missing) continue;  // costs nothing: see the totals
    if (++shown > rows) {
      ++left;
      continue;
    }
    table.add({shortened(finding.layer, name_width), shortened(finding.what, name_width),
               cost(finding.seconds, finding.at_most), finding.node,
               shortened(finding.detail, 2 * name_width)});
  }
  if (shown == 0) return "";
  std::string text = '\n' + table.text();
  if (left > 0) text += fmt::format("  and {} more (--rows)\n", left);
  return text;
}

std::string call_lines(const InspectReport& report, std::size_t rows) {
  TextTable table({{"layer"}, {"library call"}, {"data"}, {"layout"}, {"chosen"}});
  std::size_t found = 0;
  for (std::size_t layer = 0; layer < report.call_of_layer.size(); ++layer) {
    if (!report.call_of_layer[layer] || ++found > rows) continue;
    const LibraryCall& call = report.calls[*report.call_of_layer[layer]];
    table.add({shortened(report.graph->layers[layer].name, name_width), call.function,
               call.data ? std::string(to_string(*call.data)) : "?",
               call.layout ? std::string(to_string(*call.layout)) : "",
               call.algorithm.empty() ? "not logged" : call.algorithm});
  }
  if (report.calls.empty()) return "";
  std::string text = fmt::format("\n  API logs: {} calls, {} of them found in the model\n",
                                 report.calls.size(), found);
  if (found > 0) text += table.text();
  if (found > rows) text += fmt::format("  and {} more (--rows)\n", found - rows);
  return text;
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

ordered_json report_json(const InspectReport& report) {
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
            {"wait_scale", result.wait_scale}}},
          {"remarks", profile.remarks},
          {"totals", totals},
          {"findings", findings},
          {"calls", calls_json(report)}};
}

/// In quotes where it must be.
std::string csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string alignment_text(const Quality& quality) {
  std::vector<std::string> parts{
      fmt::format("{} of {} layers have their operator", quality.matched, quality.layers)};
  const auto say = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(counted(count, what));
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

std::string inspect_table(const std::vector<InspectReport>& reports, std::size_t rows) {
  std::string text;
  for (const InspectReport& report : reports) {
    if (!text.empty()) text += '\n';
    text += heading(report) + time_lines(report) + total_lines(report.inspection) +
            finding_lines(report.inspection, false, rows) +
            finding_lines(report.inspection, true, std::min<std::size_t>(rows, 5)) +
            call_lines(report, rows);
  }
  return text;
}

std::string inspect_json(const std::vector<InspectReport>& reports) {
  ordered_json list = ordered_json::array();
  for (const InspectReport& report : reports) list.push_back(report_json(report));
  const ordered_json root = {{"schema", 1}, {"command", "inspect"}, {"reports", list}};
  return root.dump(2) + "\n";
}

std::string inspect_csv(const std::vector<InspectReport>& reports) {
  std::string text =
      "model,batch,framework,version,precision,difference,what,layer,operator,seconds,at_most,"
      "detail,advice\n";
  for (const InspectReport& report : reports) {
    const Profile& profile = *report.profile;
    const std::string batch = report.graph->batch ? std::to_string(*report.graph->batch) : "";
    for (const Finding& finding : report.inspection.findings) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv(report.graph->model),
                          batch, csv(profile.framework), csv(profile.version), profile.precision,
                          to_string(finding.difference), csv(finding.what), csv(finding.layer),
                          csv(finding.node), finding.seconds, finding.at_most ? 1 : 0,
                          csv(finding.detail), csv(finding.advice));
    }
  }
  return text;
}

}  // namespace benanza::analysis
