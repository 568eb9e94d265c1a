// Operators that the exporter decomposed, compared with one call for each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

struct WholeTotals {
  std::size_t used = 0;
  /// Used ones with a layer that has no time of its own.
  std::size_t without_choice = 0;
  /// Compared with their layers one by one; only if these have times.
  double saved_seconds = 0;
  std::size_t dearer = 0;
  std::size_t unsupported = 0;
  std::size_t missing = 0;
};

WholeTotals totals_of(const std::vector<WholeChoice>& wholes) {
  WholeTotals sum;
  for (const WholeChoice& whole : wholes) {
    if (whole.used) {
      ++sum.used;
      if (whole.apart_seconds) {
        sum.saved_seconds += *whole.apart_seconds - *whole.time.seconds;
      } else {
        ++sum.without_choice;
      }
    } else if (whole.time.status == LayerStatus::missing) {
      ++sum.missing;
    } else if (whole.time.status == LayerStatus::unsupported) {
      ++sum.unsupported;
    } else {
      ++sum.dearer;
    }
  }
  return sum;
}

std::optional<double> saving(const WholeChoice& whole) {
  if (!whole.apart_seconds || !whole.time.seconds) return std::nullopt;
  return *whole.apart_seconds - *whole.time.seconds;
}

std::string verdict_of(const WholeChoice& whole) {
  if (whole.used) return "one call";
  if (whole.time.status != LayerStatus::measured) return std::string(to_string(whole.time.status));
  return "apart";
}

ordered_json wholes_json(const BoundReport& report) {
  const WholeTotals sum = totals_of(report.wholes);
  ordered_json list = ordered_json::array();
  for (const WholeChoice& whole : report.wholes) {
    const Fusion& fusion = report.graph->fusions[whole.fusion];
    list.push_back({{"operator", fusion.pattern},
                    {"layers", names_of(*report.graph, fusion.layers)},
                    {"problem", fmt::format("{}", fmt::join(problems_of(fusion), " + "))},
                    {"verdict", verdict_of(whole)},
                    {"seconds", whole.time.seconds},
                    {"apart_seconds", whole.apart_seconds}});
  }
  return {{"found", report.wholes.size()},
          {"one_call", sum.used},
          {"one_call_without_choice", sum.without_choice},
          {"saved_seconds", sum.saved_seconds},
          {"unsupported", sum.unsupported},
          {"missing", sum.missing},
          {"operators", list}};
}

}  // namespace

void add_wholes(Section& section, const BoundReport& report) {
  section.facts["whole_operators"] = wholes_json(report);
  if (report.wholes.empty()) return;
  const WholeTotals sum = totals_of(report.wholes);
  std::string text = fmt::format(
      "operators that the exporter split: {} of {} count as one call, which saves {:.3f} ms over "
      "their layers",
      sum.used, report.wholes.size(), sum.saved_seconds * 1e3);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("; {} {}", count, what);
  };
  add(sum.without_choice, "of them have a layer without a time of its own");
  add(sum.dearer, "take longer than their layers, or are inside another");
  add(sum.unsupported, "no library does as one call");
  add(sum.missing, "were not measured as one call");
  section.add(std::move(text));
  std::vector<WholeChoice> used;
  std::ranges::copy_if(report.wholes, std::back_inserter(used), &WholeChoice::used);
  std::ranges::stable_sort(used, std::ranges::greater{}, saving);
  const auto fusion_of = [&](const WholeChoice& one) -> const Fusion& {
    return report.graph->fusions[one.fusion];
  };
  const auto& layers = report.graph->layers;
  using Row = WholeChoice;
  const Table<Row> table{
      {"operator", "", [&](const Row& row) { return fusion_of(row).pattern; }},
      {"first and last layer", "",
       [&](const Row& row) {
         const std::vector<std::size_t>& members = fusion_of(row).layers;
         return layers[members.front()].name + " ... " + layers[members.back()].name;
       },
       name_width},
      {"layers", "", [&](const Row& row) { return fusion_of(row).layers.size(); }},
      {"apart us", "", micro, &Row::apart_seconds},
      {"one call us", "", micro, [](const Row& row) { return row.time.seconds; }},
      {"saves us", "", micro, saving},
      {"layout/backend/algorithm", "",
       [](const Row& row) { return call_text(row.time.calls.front()); }, any_width}};
  if (used.empty()) return;
  section.add(table.sheet(
      used, {.caption = "operators that count as one call, those that save most first"}));
}

}  // namespace benanza::analysis
