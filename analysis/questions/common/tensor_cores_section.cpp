#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/questions/common/answers.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

void add_framework(Section& section, const PickTotals& sum) {
  section.lines.push_back(fmt::format(
      "the framework's kernels: {} products with Tensor Cores ({:.3f} ms), {} without ({:.3f} ms)",
      sum.with, sum.with_seconds * 1e3, sum.without, sum.without_seconds * 1e3));
  if (sum.unknown_seconds > 0) {
    section.lines.push_back(
        fmt::format("their names do not tell of {:.3f} ms of products", sum.unknown_seconds * 1e3));
  }
  section.facts["framework_totals"] = {{"found", sum.found},
                                       {"with", sum.with},
                                       {"without", sum.without},
                                       {"with_seconds", sum.with_seconds},
                                       {"without_seconds", sum.without_seconds},
                                       {"unknown_seconds", sum.unknown_seconds}};
}

}  // namespace

Section tensor_cores_section(const Graph& graph, const TensorCoreProfit& profit,
                             const std::vector<AlgorithmRow>& rows,
                             const std::vector<FrameworkPick>& picks) {
  Section section = model_section(graph, profit.with);
  const double without = profit.without_bounds.sequential.seconds;
  const double with = profit.with_bounds.sequential.seconds;
  const auto without_name = std::string(to_string(profit.without.precision));
  const auto with_name = std::string(to_string(profit.with.precision));
  double own = 0;
  std::size_t own_layers = 0;
  std::size_t used = 0;
  std::size_t unknown = 0;
  std::size_t fallback = 0;
  for (const TensorCoreRow& row : profit.rows) {
    if (!row.with_seconds) continue;
    used += row.used == true ? 1 : 0;
    unknown += row.used ? 0 : 1;
    fallback += row.fallback ? 1 : 0;
    if (const auto seconds = row.own_profit_seconds()) {
      own += *seconds;
      ++own_layers;
    }
  }
  section.lines.push_back(fmt::format(
      "LBL sequential: {} {:.3f} ms, {} {:.3f} ms: profit {:.3f} "
      "ms, {:.2f} times as fast",
      without_name, without * 1e3, with_name, with * 1e3, (without - with) * 1e3, without / with));
  section.lines.push_back(fmt::format("LBL parallel: {} {:.3f} ms, {} {:.3f} ms", without_name,
                                      profit.without_bounds.parallel.seconds * 1e3, with_name,
                                      profit.with_bounds.parallel.seconds * 1e3));
  section.lines.push_back(
      fmt::format("Tensor Cores used by the fastest {} calls of {} layers; not known of {}",
                  with_name, used, unknown));
  if (own_layers > 0) {
    section.lines.push_back(fmt::format(
        "where they are used, calls at {} without them take {:.3f} ms more, in {} layers",
        with_name, own * 1e3, own_layers));
  }
  if (fallback > 0) {
    section.lines.push_back(fmt::format("{} layers are not supported at {}: counted at {}",
                                        fallback, with_name, without_name));
  }
  section.facts["totals"] = {
      {"without_precision", without_name},
      {"without_seconds", without},
      {"with_seconds", with},
      {"profit_seconds", without - with},
      {"parallel_without_seconds", profit.without_bounds.parallel.seconds},
      {"parallel_with_seconds", profit.with_bounds.parallel.seconds},
      {"layers_using", used},
      {"layers_unknown", unknown},
      {"layers_at_fallback", fallback},
      {"own_profit_seconds", own_layers > 0 ? nlohmann::ordered_json(own) : nullptr}};

  if (!picks.empty()) add_framework(section, totals(rows, picks));
  std::map<std::size_t, const FrameworkPick*> pick_of_layer;
  for (std::size_t i = 0; i < picks.size(); ++i) pick_of_layer[rows[i].layer] = &picks[i];

  std::vector<std::size_t> order;
  for (std::size_t layer = 0; layer < profit.rows.size(); ++layer) {
    const TensorCoreRow& row = profit.rows[layer];
    if (row.with_seconds || row.without_seconds) order.push_back(layer);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return profit.rows[a].profit_seconds().value_or(0) >
           profit.rows[b].profit_seconds().value_or(0);
  });
  Sheet sheet{.name = "layers",
              .caption = "",
              .columns = {{"layer", "layer"},
                          {"op", "op"},
                          {"profit us", "profit_seconds", true},
                          {without_name + " us", "without_seconds", true},
                          {with_name + " us", "with_seconds", true},
                          {with_name + " without us", "idle_seconds", true},
                          {"used", "tensor_cores"},
                          {"calls", "calls"}},
              .rows = {}};
  if (!picks.empty()) {
    sheet.columns.push_back({"framework us", "framework_ran_seconds", true});
    sheet.columns.push_back({"used", "framework_tensor_cores"});
    sheet.columns.push_back({"kernels", "framework_kernels"});
  }
  for (const std::size_t layer : order) {
    const TensorCoreRow& row = profit.rows[layer];
    sheet.rows.push_back({text_cell(graph.layers[layer].name), text_cell(graph.layers[layer].op),
                          us_cell(row.profit_seconds()), us_cell(row.without_seconds),
                          us_cell(row.with_seconds), us_cell(row.idle_seconds), flag_cell(row.used),
                          text_cell(calls_text(profit.with_times[layer]))});
    if (picks.empty()) continue;
    const auto pick = pick_of_layer.find(layer);
    const bool found = pick != pick_of_layer.end() && pick->second->ran_seconds;
    auto& cells = sheet.rows.back();
    cells.push_back(us_cell(found ? pick->second->ran_seconds : std::nullopt));
    cells.push_back(found ? flag_cell(pick->second->tensor_cores)
                          : Cell{.shown = "-", .value = nullptr});
    cells.push_back(found ? Cell{.shown = shortened(pick->second->detail, name_width),
                                 .value = pick->second->detail}
                          : Cell{.shown = "-", .value = nullptr});
  }
  section.sheets.push_back(std::move(sheet));
  return section;
}

}  // namespace benanza::analysis
