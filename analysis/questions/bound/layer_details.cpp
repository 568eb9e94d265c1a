#include "analysis/questions/bound/layer_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

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
