// benanza-analyze algorithms: the time lost by algorithms other than the fastest.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

double loss_of(const AlgorithmRow& row) {
  return std::max(row.heuristic_loss().value_or(0), row.limit_loss().value_or(0));
}

/// One product, beside the framework's choice if that is known.
struct Product {
  const AlgorithmRow* row = nullptr;
  const FrameworkPick* pick = nullptr;

  double lost() const {
    return std::max(loss_of(*row), pick == nullptr ? 0 : pick->loss.value_or(0));
  }
};

/// Empty for an empty text.
std::optional<std::string> algorithms_known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// Sums over the framework's choices.
void algorithms_add_totals(Section& section, const PickTotals& sum) {
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

std::optional<double> workspace_of(const Measurement* call) {
  if (call == nullptr || !call->workspace_bytes) return std::nullopt;
  return static_cast<double>(*call->workspace_bytes);
}

Cell best_cell(const AlgorithmRow& row) {
  if (row.best == nullptr) return {.shown = row.reason, .value = nullptr};
  return cell(call_text(row.best));
}

/// Layers that lose most through the library's heuristic choice.
Bars lost_plot(const Graph& graph, const std::vector<AlgorithmRow>& rows) {
  constexpr std::size_t most = 12;
  std::vector<AlgorithmRow> losses;
  std::ranges::copy_if(rows, std::back_inserter(losses), [](const AlgorithmRow& row) {
    return row.heuristic_loss().value_or(0) > 0;
  });
  std::ranges::stable_sort(losses, std::ranges::greater{},
                           [](const AlgorithmRow& row) { return *row.heuristic_loss(); });
  if (losses.size() > most) losses.resize(most);
  return bars(
      {.title = "Layers that lose most to the library's choice of algorithm",
       .series = {{.name = "us"}},
       .unit = "us",
       .decimals = 1},
      losses, [&](const AlgorithmRow& row) { return graph.layers[row.layer].name; },
      [](const AlgorithmRow& row) { return *row.heuristic_loss() * 1e6; });
}

void add_library_totals(Section& section, const AlgorithmTotals& sum, bool limited) {
  section.add(fmt::format("products: {}, {:.3f} ms with the best algorithms", sum.products,
                          sum.best_seconds * 1e3));
  if (sum.unmeasured > 0) {
    section.add(fmt::format("not measured, or not admitted: {}", sum.unmeasured));
  }
  if (sum.unranked == sum.products - sum.unmeasured) {
    section.add("the library's own choice is not known: it ranks no algorithm");
  } else {
    section.add(fmt::format("lost by the library's own choice: {:.3f} ms, in {} of {} products",
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
}

/// `has_picks`: with the framework's choices. `limited`: with what a limit on workspace costs.
Table<Product> products_table(const Graph& graph, bool has_picks, bool limited) {
  const auto of_row = [](auto member) {
    return [member](const Product& one) { return std::invoke(member, *one.row); };
  };
  const auto call = [](auto of, const Measurement* AlgorithmRow::*which) {
    return [of, which](const Product& one) { return of(one.row->*which); };
  };
  const auto of_pick = [](auto member) {
    return [member](const Product& one) { return std::invoke(member, *one.pick); };
  };
  using Row = AlgorithmRow;
  using Pick = FrameworkPick;
  Table<Product> table{
      {"layer", "layer", of_row([&](const Row& row) { return graph.layers[row.layer].name; })},
      {"lost us", "lost_seconds", micro, of_row(&Row::heuristic_loss)},
      {"best us", "best_seconds", micro, call(seconds_of, &Row::best)},
      {"best", "best", of_row(best_cell)},
      {"best MB", "best_workspace_bytes", mega, call(workspace_of, &Row::best)},
      {"heuristic us", "heuristic_seconds", micro, call(seconds_of, &Row::heuristic)},
      {"heuristic", "heuristic", call(call_of, &Row::heuristic)}};
  table.add_if(
      has_picks,
      {{"framework lost us", "framework_loss_seconds", micro, of_pick(&Pick::loss)},
       {"framework us", "framework_seconds", micro,
        of_pick([](const Pick& pick) { return seconds_of(pick.measured); })},
       {"framework", "framework", of_pick([](const Pick& pick) {
          return pick.algorithm.empty() ? Cell{"?", nullptr} : cell(pick.algorithm);
        })},
       {"framework ran us", "framework_ran_seconds", micro, of_pick(&Pick::ran_seconds)},
       {"framework chose", "framework_detail",
        of_pick([](const Pick& pick) { return algorithms_known(pick.detail); }), name_width}});
  table.add_if(
      limited,
      {{"unlimited us", "unlimited_seconds", micro, call(seconds_of, &Row::unlimited)},
       {"unlimited", "unlimited", call(call_of, &Row::unlimited)},
       {"unlimited MB", "unlimited_workspace_bytes", mega, call(workspace_of, &Row::unlimited)}});
  table.add({"problem", "problem", of_row(&Row::key)});
  return table;
}

Section algorithms_section(const Graph& graph, const MeasurementFilter& filter, Movement movement,
                           const std::vector<AlgorithmRow>& rows,
                           const std::vector<FrameworkPick>& picks) {
  Section section = model_section(graph, filter, movement);
  const bool limited = filter.max_workspace_bytes.has_value();
  add_library_totals(section, totals(rows), limited);
  if (!picks.empty()) algorithms_add_totals(section, totals(rows, picks));
  ReferenceCode code;
  for (const AlgorithmRow& row : rows) {
    if (row.best != nullptr) code.add(*row.best, graph.layers[row.layer].name);
  }
  add_reference_code(section, code);
  section.add(lost_plot(graph, rows));
  std::vector<Product> products;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    products.push_back({.row = &rows[i], .pick = picks.empty() ? nullptr : &picks[i]});
  }
  std::ranges::stable_sort(products, std::ranges::greater{}, &Product::lost);
  section.add(products_table(graph, !picks.empty(), limited)
                  .sheet(products, {.name = "products", .equal_ones = "products"}));
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

Section algorithms_answer(const Subject& subject, const std::vector<LibraryCall>& calls) {
  auto rows = algorithm_rows(subject.graph, subject.measurements(), subject.filter);
  const std::size_t steps = leave_out_steps(rows, times_of(subject));
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

struct AlgorithmsOptions {
  CommonFlags common;
  std::vector<std::string> logs;
};

Action ask_algorithms(Flags& flags) {
  const auto options = std::make_shared<AlgorithmsOptions>();
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
                  [&](const Subject& subject) { return algorithms_answer(subject, calls); }),
          inputs);
  };
}

}  // namespace

Question algorithms_question() {
  return {.name = "algorithms",
          .help =
              "Fastest algorithm of every product, and what the library's and a framework's "
              "choices lose",
          .section =
              [](const Subject& subject) { return std::optional(algorithms_answer(subject, {})); },
          .ask = ask_algorithms,
          .chapter = "algorithms",
          .place = 30};
}

}  // namespace benanza::analysis
