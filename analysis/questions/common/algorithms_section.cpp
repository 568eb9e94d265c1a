#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/questions/common/answers.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

double loss_of(const AlgorithmRow& row) {
  return std::max(row.heuristic_loss().value_or(0), row.limit_loss().value_or(0));
}

Cell call_cell(const Measurement* call) {
  if (call == nullptr) return {.shown = "-", .value = nullptr};
  return text_cell(call_text(call));
}

Cell pick_cell(const FrameworkPick& pick) {
  if (pick.algorithm.empty()) return {.shown = "?", .value = nullptr};
  return text_cell(pick.algorithm);
}

Cell detail_cell(const FrameworkPick& pick) {
  if (!pick.is_known()) return {.shown = "-", .value = nullptr};
  return {.shown = shortened(pick.detail, name_width), .value = pick.detail};
}

/// What the framework's choices add up to.
void add_totals(Section& section, const PickTotals& sum) {
  if (sum.found == 0) {
    section.lines.emplace_back("the framework's choice is not known of any product");
  }
  if (sum.known > 0) {
    section.lines.push_back(
        fmt::format("lost by the framework's algorithms: at least {:.3f} ms, in {} of the {} "
                    "products where they are known",
                    sum.loss_seconds * 1e3, sum.misses, sum.known));
  }
  if (sum.ran > 0) {
    section.lines.push_back(fmt::format(
        "the framework's kernels for {} products ran {:.3f} ms, the best algorithms take {:.3f} ms",
        sum.ran, sum.ran_seconds * 1e3, sum.best_seconds * 1e3));
  }
  section.facts["framework_totals"] = {{"found", sum.found},
                                       {"known", sum.known},
                                       {"loss_seconds", sum.loss_seconds},
                                       {"misses", sum.misses},
                                       {"ran", sum.ran},
                                       {"ran_seconds", sum.ran_seconds},
                                       {"best_seconds", sum.best_seconds}};
}

Cell workspace_cell(const Measurement* call) {
  if (call == nullptr || !call->workspace_bytes) return megabytes_cell({});
  return megabytes_cell(static_cast<double>(*call->workspace_bytes));
}

}  // namespace

Section algorithms_section(const Graph& graph, const Choice& choice,
                           const std::vector<AlgorithmRow>& rows,
                           const std::vector<FrameworkPick>& picks) {
  Section section = model_section(graph, choice);
  const AlgorithmTotals sum = totals(rows);
  const bool limited = choice.max_workspace_bytes.has_value();
  section.lines.push_back(fmt::format("products: {}, {:.3f} ms with the best algorithms",
                                      sum.products, sum.best_seconds * 1e3));
  if (sum.unmeasured > 0) {
    section.lines.push_back(fmt::format("not measured, or not admitted: {}", sum.unmeasured));
  }
  if (sum.unranked == sum.products - sum.unmeasured) {
    section.lines.emplace_back("the library's own choice is not known: it ranks no algorithm");
  } else {
    section.lines.push_back(
        fmt::format("lost by the library's heuristic: {:.3f} ms, in {} of {} products",
                    sum.heuristic_loss_seconds * 1e3, sum.heuristic_misses,
                    sum.products - sum.unmeasured - sum.unranked));
  }
  if (limited) {
    section.lines.push_back(
        fmt::format("lost by the limit on workspace: {:.3f} ms", sum.limit_loss_seconds * 1e3));
  }
  section.facts["totals"] = {{"products", sum.products},
                             {"unmeasured", sum.unmeasured},
                             {"unranked", sum.unranked},
                             {"best_seconds", sum.best_seconds},
                             {"heuristic_loss_seconds", sum.heuristic_loss_seconds},
                             {"heuristic_misses", sum.heuristic_misses},
                             {"limit_loss_seconds", sum.limit_loss_seconds}};

  if (!picks.empty()) add_totals(section, totals(rows, picks));

  const auto lost = [&](std::size_t row) {
    const double framework = picks.empty() ? 0 : picks[row].loss.value_or(0);
    return std::max(loss_of(rows[row]), framework);
  };
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lost(a) > lost(b); });
  Sheet sheet{.name = "products",
              .caption = "",
              .columns = {{"layer", "layer"},
                          {"lost us", "lost_seconds", true},
                          {"best us", "best_seconds", true},
                          {"best", "best"},
                          {"MB", "best_workspace_bytes", true},
                          {"heuristic us", "heuristic_seconds", true},
                          {"heuristic", "heuristic"}},
              .rows = {}};
  if (!picks.empty()) {
    sheet.columns.push_back({"framework lost us", "framework_loss_seconds", true});
    sheet.columns.push_back({"us", "framework_seconds", true});
    sheet.columns.push_back({"framework", "framework"});
    sheet.columns.push_back({"ran us", "framework_ran_seconds", true});
    sheet.columns.push_back({"chosen", "framework_detail"});
  }
  if (limited) {
    sheet.columns.push_back({"unlimited us", "unlimited_seconds", true});
    sheet.columns.push_back({"unlimited", "unlimited"});
    sheet.columns.push_back({"MB", "unlimited_workspace_bytes", true});
  }
  sheet.columns.push_back({"problem", "problem"});
  for (const std::size_t index : order) {
    const AlgorithmRow* row = &rows[index];
    std::vector<Cell> cells{text_cell(graph.layers[row->layer].name),
                            us_cell(row->heuristic_loss()),
                            us_cell(seconds_of(row->best)),
                            call_cell(row->best),
                            workspace_cell(row->best),
                            us_cell(seconds_of(row->heuristic)),
                            call_cell(row->heuristic)};
    if (!picks.empty()) {
      const FrameworkPick& pick = picks[index];
      cells.push_back(us_cell(pick.loss));
      cells.push_back(us_cell(seconds_of(pick.measured)));
      cells.push_back(pick_cell(pick));
      cells.push_back(us_cell(pick.ran_seconds));
      cells.push_back(detail_cell(pick));
    }
    if (limited) {
      cells.push_back(us_cell(seconds_of(row->unlimited)));
      cells.push_back(call_cell(row->unlimited));
      cells.push_back(workspace_cell(row->unlimited));
    }
    cells.push_back(text_cell(row->key));
    if (row->best == nullptr) cells[3].shown = row->reason;
    sheet.rows.push_back(std::move(cells));
  }
  section.sheets.push_back(std::move(sheet));
  return section;
}

}  // namespace benanza::analysis
