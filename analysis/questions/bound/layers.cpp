#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <ranges>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

// The layers of the bound in JSON and CSV, and what a row of them opens.

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view rounded = "{:.6g}";

ordered_json call_json(const Measurement& call) {
  CallSum sum;
  sum.add(call);
  const Spread spread = sum.spread();
  ordered_json json{{"name", to_string(call.variant)}};
  json.update(bound_json(
      {.seconds = call.seconds(), .spread = spread.interval, .processes = spread.processes}));
  return json;
}

Cell calls_cell(const LayerTime& time, bool is_csv) {
  ordered_json calls = ordered_json::array();
  std::vector<std::string> names;
  for (const Measurement* const call : time.calls) {
    if (!is_csv) calls.push_back(call_json(*call));
    names.push_back(to_string(call->variant));
  }
  return is_csv ? cell(fmt::format("{}", fmt::join(names, " "))) : Cell{.value = calls};
}

Cell gaps_cell(const LayerTime& time) {
  ordered_json gaps = ordered_json::array();
  for (const Gap& gap : time.gaps) gaps.push_back({{"key", gap.key}, {"reason", gap.reason}});
  return {.value = gaps};
}

std::string note_of(const LayerTime& time, bool with_gaps) {
  std::string note = time.note;
  for (const Gap& gap : time.gaps) {
    if (with_gaps) note += (note.empty() ? "" : "; ") + gap.key + ": " + gap.reason;
  }
  return note;
}

/// `is_csv`: with numbers, flags and lists as CSV has them.
Table<std::size_t> layers_table(const BoundReport& report, const std::vector<LayerRow>& rows,
                                bool is_csv) {
  const auto number = [=](auto of, std::string_view format = "{}") {
    return [=](std::size_t layer) {
      const std::optional<double> value = of(layer);
      return is_csv ? cell(number_text(value, format)) : cell(value, micro);
    };
  };
  const Ladder& ladder = report.ladder;
  const auto& layers = report.graph->layers;
  const auto& times = report.times;
  Table<std::size_t> table{
      {"", is_csv ? "layer" : "name", [&](std::size_t layer) { return layers[layer].name; }},
      {"", "op", [&](std::size_t layer) { return layers[layer].op; }},
      {"", "standing", [&](std::size_t layer) { return times[layer].status; }},
      {"", "seconds", number([&](std::size_t layer) { return times[layer].seconds; })},
      {"", "share", number([&](std::size_t layer) { return rows[layer].share; }, rounded)},
      {"", "flops", number([&](std::size_t layer) { return layers[layer].flops; })},
      {"", "bytes", number([&](std::size_t layer) { return layers[layer].bytes; })},
      {"", "flops_per_second",
       number([&](std::size_t layer) { return rows[layer].flops_per_second; })},
      {"", "floor_seconds", number([&](std::size_t layer) { return ladder.layer_floor(layer); })},
      {"", "reaches", number([&](std::size_t layer) { return ladder.reaches(layer); }, rounded)},
      {"", "fewer_products",
       number([&](std::size_t layer) { return ladder.fewer_products(layer); }, rounded)},
      {"", "on_critical_path", [&rows, is_csv](std::size_t layer) {
         const bool is_on = rows[layer].on_critical_path;
         return is_csv ? cell(is_on ? "yes" : "no") : cell(is_on);
       }}};
  table.add_if(!is_csv, {{"", "does", [&](std::size_t layer) {
                            return Cell{.value = names_of(*report.graph, times[layer].does)};
                          }}});
  table.add({"", "fusion", [&](std::size_t layer) {
               const std::string& fusion = times[layer].fusion;
               return fusion.empty() ? unknown_cell() : cell(fusion);
             }});
  table.add({"", "calls",
             [&times, is_csv](std::size_t layer) { return calls_cell(times[layer], is_csv); }});
  table.add_if(!is_csv,
               {{"", "missing", [&](std::size_t layer) { return gaps_cell(times[layer]); }}});
  table.add(
      {"", "note", [&times, is_csv](std::size_t layer) { return note_of(times[layer], is_csv); }});
  return table;
}

auto all_layers(const BoundReport& report) {
  return std::views::iota(std::size_t{0}, report.times.size());
}

/// The problems of the layer: its own, those of fusions of it alone, and those of its calls.
std::vector<std::string> keys_of(const BoundReport& report, std::size_t layer) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (const Measurement* const call : report.times[layer].calls) add(call->variant.key);
  for (const std::string& key : report.graph->layers[layer].problems) add(key);
  for (const Fusion& fusion : report.graph->fusions) {
    if (fusion.layers == std::vector{layer}) add(fusion.problem);
  }
  return keys;
}

/// Those at the layer's precision, the fastest first, then those without a time.
std::vector<const Measurement*> variants_of(const BoundReport& report, std::size_t layer,
                                            const std::string& key) {
  const auto& calls = report.times[layer].calls;
  const Precision precision =
      precision_of(report.graph->layers[layer], key, report.filter.precision);
  std::vector<const Measurement*> variants;
  for (const Measurement& variant : report.measurements->find(key)) {
    const bool is_call = std::ranges::find(calls, &variant) != calls.end();
    const bool is_alike =
        variant.variant.precision == precision && variant.variant.cold == report.filter.cold;
    if (is_call || is_alike) variants.push_back(&variant);
  }
  const auto order = [](const Measurement* one) {
    const bool has_time = one->status == Status::ok;
    return std::pair(!has_time, has_time ? one->seconds() : 0.0);
  };
  std::ranges::stable_sort(variants, {}, order);
  return variants;
}

std::string note_of(const Measurement& variant, bool is_call) {
  if (variant.status != Status::ok) {
    return std::string(to_string(variant.status)) + ": " + variant.reason;
  }
  std::string note;
  const auto add = [&](bool is_so, std::string_view words) {
    if (is_so) note += (note.empty() ? "" : ", ") + std::string(words);
  };
  add(is_call, "in the bound");
  add(variant.heuristic_rank == 1, "the library's choice");
  add(variant.disturbed_repetitions > 0, "disturbed");
  return note;
}

}  // namespace

ordered_json bound_layers(const BoundReport& report) {
  const std::vector<LayerRow> rows = layer_rows(report);
  return layers_table(report, rows, false).json(all_layers(report));
}

Sheet bound_csv(const BoundReport& report) {
  const std::vector<LayerRow> rows = layer_rows(report);
  return layers_table(report, rows, true).sheet(all_layers(report));
}

std::string layer_details(const BoundReport& report, std::size_t layer) {
  const auto& calls = report.times[layer].calls;
  std::string text;
  for (const std::string& key : keys_of(report, layer)) {
    const auto variants = variants_of(report, layer, key);
    text += fmt::format("{}{}: {} variant{} measured\n", text.empty() ? "" : "\n", key,
                        variants.size(), variants.size() == 1 ? "" : "s");
    TextTable table({{"us", true}, {"workspace MB", true}, {"layout/backend/algorithm"}, {""}});
    for (const Measurement* const variant : variants) {
      const bool has_time = variant->status == Status::ok;
      const auto& workspace = variant->workspace_bytes;
      table.add({has_time ? microseconds(variant->seconds()) : "-",
                 has_time && workspace ? fmt::format("{:.3f}", *workspace * 1e-6) : "",
                 call_text(variant),
                 note_of(*variant, std::ranges::find(calls, variant) != calls.end())});
    }
    if (!variants.empty()) text += table.text();
  }
  return text;
}

}  // namespace benanza::analysis
