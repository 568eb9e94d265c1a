// benanza-analyze algorithms: the time lost by algorithms other than the fastest.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "analysis/questions/question.h"
#include "core/base/error.h"

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
  return text_cell(pick.detail);
}

/// Sums over the framework's choices.
void add_totals(Section& section, const PickTotals& sum) {
  if (sum.found == 0) {
    section.add("the framework's choice is not known of any product");
  }
  if (sum.known > 0) {
    section.add(
        fmt::format("lost by the framework's algorithms: at least {:.3f} ms, in {} of the {} "
                    "products where they are known",
                    sum.loss_seconds * 1e3, sum.misses, sum.known));
  }
  if (sum.ran > 0) {
    section.add(fmt::format(
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

/// Layers that lose most through the library's heuristic choice.
Bars lost_plot(const Graph& graph, const std::vector<AlgorithmRow>& rows) {
  constexpr std::size_t most = 12;
  std::vector<std::pair<double, std::string>> losses;
  for (const AlgorithmRow& row : rows) {
    const double loss = row.heuristic_loss().value_or(0);
    if (loss > 0) losses.emplace_back(loss, graph.layers[row.layer].name);
  }
  std::ranges::stable_sort(losses, std::ranges::greater{},
                           [](const auto& loss) { return loss.first; });
  if (losses.size() > most) losses.resize(most);
  Bars bars{.title = "Layers that lose most to the library's choice of algorithm",
            .series = {{.name = "us"}},
            .unit = "us",
            .decimals = 1};
  for (const auto& [loss, name] : losses) {
    bars.categories.push_back(name);
    bars.series[0].values.emplace_back(loss * 1e6);
  }
  return bars;
}

Section algorithms_section(const Graph& graph, const MeasurementFilter& filter, Movement movement,
                           const std::vector<AlgorithmRow>& rows,
                           const std::vector<FrameworkPick>& picks) {
  Section section = model_section(graph, filter, movement);
  const AlgorithmTotals sum = totals(rows);
  const bool limited = filter.max_workspace_bytes.has_value();
  section.add(fmt::format("products: {}, {:.3f} ms with the best algorithms", sum.products,
                          sum.best_seconds * 1e3));
  if (sum.unmeasured > 0) {
    section.add(fmt::format("not measured, or not admitted: {}", sum.unmeasured));
  }
  if (sum.unranked == sum.products - sum.unmeasured) {
    section.add("the library's own choice is not known: it ranks no algorithm");
  } else {
    section.add(fmt::format("lost by the library's heuristic: {:.3f} ms, in {} of {} products",
                            sum.heuristic_loss_seconds * 1e3, sum.heuristic_misses,
                            sum.products - sum.unmeasured - sum.unranked));
  }
  if (limited) {
    section.add(
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

  section.add(lost_plot(graph, rows));

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
                          {"best MB", "best_workspace_bytes", true},
                          {"heuristic us", "heuristic_seconds", true},
                          {"heuristic", "heuristic"}},
              .rows = {}};
  if (!picks.empty()) {
    sheet.columns.push_back({"framework lost us", "framework_loss_seconds", true});
    sheet.columns.push_back({"framework us", "framework_seconds", true});
    sheet.columns.push_back({"framework", "framework"});
    sheet.columns.push_back({"framework ran us", "framework_ran_seconds", true});
    sheet.columns.push_back({"framework chose", "framework_detail", false, name_width});
  }
  if (limited) {
    sheet.columns.push_back({"unlimited us", "unlimited_seconds", true});
    sheet.columns.push_back({"unlimited", "unlimited"});
    sheet.columns.push_back({"unlimited MB", "unlimited_workspace_bytes", true});
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
  section.add(std::move(sheet));
  return section;
}

void require_measured(const Graph& graph, const MeasurementFilter& filter,
                      const std::vector<AlgorithmRow>& rows) {
  for (const AlgorithmRow& row : rows) {
    // A call ruled out by the workspace limit counts as an answer; a missing measurement does not.
    if (row.best != nullptr || row.unlimited != nullptr) continue;
    throw Error(title(graph) + ", " + std::string(to_string(filter.precision)) + ": " + row.key +
                " of layer \"" + graph.layers[row.layer].name + "\" has no time (" + row.reason +
                "); run the benchmarks, or say --allow-missing for a partial answer");
  }
}

/// Removes products that are steps of an operator done by one call. Returns their number.
std::size_t leave_out_steps(const Subject& subject, std::vector<AlgorithmRow>& rows) {
  const auto times =
      operator_times(subject.graph, subject.measurements(), subject.filter, subject.movement());
  return std::erase_if(rows, [&](const AlgorithmRow& row) {
    const LayerTime& time = times[row.layer];
    return time.status == LayerStatus::part || !time.does.empty();
  });
}

Section answer(const Subject& subject, const std::vector<LibraryCall>& calls) {
  auto rows = algorithm_rows(subject.graph, subject.measurements(), subject.filter);
  const std::size_t steps = leave_out_steps(subject, rows);
  if (!subject.allow_missing) require_measured(subject.graph, subject.filter, rows);
  Section section = algorithms_section(subject.graph, subject.filter, subject.movement(), rows,
                                       picks_of(subject, rows, calls));
  section.facts["products_inside_operators"] = steps;
  if (steps > 0) {
    section.add(
        fmt::format("not here: {} products that are steps of an operator which one call "
                    "does faster (attention)",
                    steps));
  }
  return section;
}

struct Options {
  CommonFlags common;
  std::vector<std::string> logs;
};

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  add_common_flags(flags, options->common);
  flags.add("--api-log", options->logs, "Log of cuDNN, cuBLAS or cuBLASLt from the framework's run",
            "FILE");
  return [options] {
    const Inputs inputs = read_inputs(options->common);
    require_kernels(inputs);
    if (!options->logs.empty() && (inputs.graphs.size() > 1 || inputs.filters.size() > 1)) {
      throw Error("--api-log: say of which run: give one --graph and one --precision");
    }
    const std::vector<LibraryCall> calls = read_api_logs(options->logs);
    print(page_of("algorithms", inputs,
                  [&](const Subject& subject) { return answer(subject, calls); }),
          inputs);
  };
}

}  // namespace

Question algorithms_question() {
  return {.name = "algorithms",
          .help =
              "Fastest algorithm of every product, and what the library's and a framework's "
              "choices lose",
          .section = [](const Subject& subject) { return std::optional(answer(subject, {})); },
          .ask = ask,
          .chapter = "algorithms",
          .place = 30};
}

}  // namespace benanza::analysis
