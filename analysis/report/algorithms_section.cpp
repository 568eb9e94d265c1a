#include <fmt/format.h>

#include <algorithm>

#include "report/answers.h"

namespace benanza {
namespace {

double loss_of(const AlgorithmRow& row) {
  return std::max(row.heuristic_loss().value_or(0), row.limit_loss().value_or(0));
}

std::optional<double> seconds_of(const Measurement* call) {
  if (call == nullptr) return std::nullopt;
  return call->seconds();
}

Cell call_cell(const Measurement* call) {
  if (call == nullptr) return {.shown = "-", .value = nullptr};
  return text_cell(call_text(call));
}

Cell workspace_cell(const Measurement* call) {
  if (call == nullptr || !call->workspace_bytes) return megabytes_cell({});
  return megabytes_cell(static_cast<double>(*call->workspace_bytes));
}

}  // namespace

Section algorithms_section(const Graph& graph, const Choice& choice,
                           const std::vector<AlgorithmRow>& rows) {
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

  std::vector<const AlgorithmRow*> order;
  for (const AlgorithmRow& row : rows) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const AlgorithmRow* a, const AlgorithmRow* b) {
    return loss_of(*a) > loss_of(*b);
  });
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
  if (limited) {
    sheet.columns.push_back({"unlimited us", "unlimited_seconds", true});
    sheet.columns.push_back({"unlimited", "unlimited"});
    sheet.columns.push_back({"MB", "unlimited_workspace_bytes", true});
  }
  sheet.columns.push_back({"problem", "problem"});
  for (const AlgorithmRow* row : order) {
    std::vector<Cell> cells{text_cell(graph.layers[row->layer].name),
                            us_cell(row->heuristic_loss()),
                            us_cell(seconds_of(row->best)),
                            call_cell(row->best),
                            workspace_cell(row->best),
                            us_cell(seconds_of(row->heuristic)),
                            call_cell(row->heuristic)};
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

}  // namespace benanza
