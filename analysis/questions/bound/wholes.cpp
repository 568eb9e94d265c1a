// Operators that the exporter decomposed, compared with one call for each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"

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

WholeTotals totals_of(const std::vector<WholeOperator>& wholes) {
  WholeTotals sum;
  for (const WholeOperator& whole : wholes) {
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

std::optional<double> saving(const WholeOperator& whole) {
  if (!whole.apart_seconds || !whole.time.seconds) return std::nullopt;
  return *whole.apart_seconds - *whole.time.seconds;
}

std::string verdict_of(const WholeOperator& whole) {
  if (whole.used) return "one call";
  if (whole.time.status != LayerStatus::measured) return std::string(to_string(whole.time.status));
  return "apart";
}

}  // namespace

void add_wholes(Section& section, const BoundReport& report) {
  if (report.wholes.empty()) return;
  const WholeTotals sum = totals_of(report.wholes);
  std::string text = fmt::format(
      "operators that the exporter took apart: {} of {} count as one call, which saves "
      "{:.3f} ms against their layers",
      sum.used, report.wholes.size(), sum.saved_seconds * 1e3);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("; {} {}", count, what);
  };
  add(sum.without_choice, "of them have a layer without a time of its own");
  add(sum.dearer, "are dearer than their layers, or inside another");
  add(sum.unsupported, "no library does as one call");
  add(sum.missing, "were not measured as one call");
  section.add(std::move(text));
  std::vector<const WholeOperator*> order;
  for (const WholeOperator& whole : report.wholes) {
    if (whole.used) order.push_back(&whole);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const WholeOperator* whole) { return saving(*whole); });
  Sheet sheet{.caption = "operators that count as one call, those that save most first",
              .columns = {{"operator", ""},
                          {"first and last layer", "", false, name_width},
                          {"layers", "", true},
                          {"apart us", "", true},
                          {"one call us", "", true},
                          {"saves us", "", true},
                          {"layout/backend/algorithm", "", false, any_width}}};
  for (const WholeOperator* whole : order) {
    const Fusion& fusion = report.graph->fusions[whole->fusion];
    const auto& layers = report.graph->layers;
    sheet.rows.push_back({text_cell(fusion.pattern),
                          text_cell(layers[fusion.layers.front()].name + " ... " +
                                    layers[fusion.layers.back()].name),
                          count_cell(fusion.layers.size()), us_cell(whole->apart_seconds),
                          us_cell(whole->time.seconds), us_cell(saving(*whole)),
                          text_cell(call_text(whole->time.calls.front()))});
  }
  if (!order.empty()) section.add(std::move(sheet));
}

ordered_json wholes_json(const BoundReport& report) {
  const WholeTotals sum = totals_of(report.wholes);
  ordered_json list = ordered_json::array();
  for (const WholeOperator& whole : report.wholes) {
    const Fusion& fusion = report.graph->fusions[whole.fusion];
    ordered_json names = ordered_json::array();
    for (const std::size_t layer : fusion.layers) names.push_back(report.graph->layers[layer].name);
    list.push_back({{"operator", fusion.pattern},
                    {"layers", names},
                    {"problem", fmt::format("{}", fmt::join(problems_of(fusion), " + "))},
                    {"verdict", verdict_of(whole)},
                    {"seconds", value_or_null(whole.time.seconds)},
                    {"apart_seconds", value_or_null(whole.apart_seconds)}});
  }
  return {{"found", report.wholes.size()},
          {"one_call", sum.used},
          {"one_call_without_choice", sum.without_choice},
          {"saved_seconds", sum.saved_seconds},
          {"unsupported", sum.unsupported},
          {"missing", sum.missing},
          {"operators", list}};
}

}  // namespace benanza::analysis
