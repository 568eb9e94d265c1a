// benanza-analyze tensor-cores: what Tensor Cores gain, layer by layer.

#include "analysis/questions/tensor_cores/profit.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

void add_framework(Section& section, const PickTotals& sum) {
  section.add(fmt::format(
      "the framework's kernels: {} products with Tensor Cores ({:.3f} ms), {} without ({:.3f} ms)",
      sum.with, sum.with_seconds * 1e3, sum.without, sum.without_seconds * 1e3));
  if (sum.unknown_seconds > 0) {
    section.add(
        fmt::format("{:.3f} ms of products: unknown from kernel names", sum.unknown_seconds * 1e3));
  }
  section.facts["framework_totals"] = {{"found", sum.found},
                                       {"with", sum.with},
                                       {"without", sum.without},
                                       {"with_seconds", sum.with_seconds},
                                       {"without_seconds", sum.without_seconds},
                                       {"unknown_seconds", sum.unknown_seconds}};
}

/// Sums over the layers that have a time with Tensor Cores.
struct UseTotals {
  double own_seconds = 0;
  std::size_t own_layers = 0;
  std::size_t used = 0;
  std::size_t unknown = 0;
  std::size_t fallback = 0;
};

UseTotals use_totals(const TensorCoreProfit& profit) {
  UseTotals sum;
  for (const TensorCoreRow& row : profit.rows) {
    if (!row.with_seconds) continue;
    sum.used += row.used == true ? 1 : 0;
    sum.unknown += row.used ? 0 : 1;
    sum.fallback += row.fallback ? 1 : 0;
    if (const auto seconds = row.own_profit_seconds()) {
      sum.own_seconds += *seconds;
      ++sum.own_layers;
    }
  }
  return sum;
}

void tensor_cores_add_totals(Section& section, const TensorCoreProfit& profit, bool of_gpu) {
  const SumNames names = sum_names(profit.with);
  const double without = profit.without_bounds.sequential.seconds;
  const double with = profit.with_bounds.sequential.seconds;
  const double parallel_without = profit.without_bounds.parallel.seconds;
  const double parallel_with = profit.with_bounds.parallel.seconds;
  const auto without_name = to_string(profit.without.precision);
  const auto with_name = to_string(profit.with.precision);
  const UseTotals sum = use_totals(profit);
  section.add(fmt::format("{}: {} {:.3f} ms, {} {:.3f} ms: profit {:.3f} ms, {:.2f} times as fast",
                          names.sequential, without_name, without * 1e3, with_name, with * 1e3,
                          (without - with) * 1e3, without / with));
  section.add(fmt::format("{}: {} {:.3f} ms, {} {:.3f} ms", names.parallel, without_name,
                          parallel_without * 1e3, with_name, parallel_with * 1e3));
  if (of_gpu) {
    section.add(
        fmt::format("Tensor Cores used by the fastest {} calls of {} layers; not known of {}",
                    with_name, sum.used, sum.unknown));
  }
  if (sum.own_layers > 0) {
    section.add(fmt::format(
        "where they are used, calls at {} without them take {:.3f} ms more, in {} layers",
        with_name, sum.own_seconds * 1e3, sum.own_layers));
  }
  if (sum.fallback > 0) {
    section.add(fmt::format("{} layers are not supported at {}: counted at {}", sum.fallback,
                            with_name, without_name));
  }
  section.facts["totals"] = {
      {"without_precision", without_name},
      {"without_seconds", without},
      {"with_seconds", with},
      {"profit_seconds", without - with},
      {"parallel_without_seconds", parallel_without},
      {"parallel_with_seconds", parallel_with},
      {"layers_using", sum.used},
      {"layers_unknown", sum.unknown},
      {"layers_at_fallback", sum.fallback},
      {"own_profit_seconds", sum.own_layers > 0 ? std::optional(sum.own_seconds) : std::nullopt}};
}

/// Layers with a time at one of the precisions, the largest profit first.
Sheet tensor_cores_layers_sheet(const Graph& graph, const TensorCoreProfit& profit,
                                const std::vector<AlgorithmRow>& products,
                                const std::vector<FrameworkPick>& picks, bool of_gpu) {
  std::vector<std::size_t> order;
  for (std::size_t layer = 0; layer < profit.rows.size(); ++layer) {
    const TensorCoreRow& row = profit.rows[layer];
    if (row.with_seconds || row.without_seconds) order.push_back(layer);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t layer) {
    return profit.rows[layer].profit_seconds().value_or(0);
  });
  const auto of_row = [&](auto member) {
    return [&profit, member](std::size_t layer) { return std::invoke(member, profit.rows[layer]); };
  };
  const std::string without(to_string(profit.without.precision));
  const std::string with(to_string(profit.with.precision));
  Table<std::size_t> table{
      {"layer", "layer", [&](std::size_t layer) { return graph.layers[layer].name; }},
      {"op", "op", [&](std::size_t layer) { return graph.layers[layer].op; }},
      {"profit us", "profit_seconds", micro, of_row(&TensorCoreRow::profit_seconds)},
      {without + " us", "without_seconds", micro, of_row(&TensorCoreRow::without_seconds)},
      {with + " us", "with_seconds", micro, of_row(&TensorCoreRow::with_seconds)}};
  table.add_if(of_gpu, {{with + " without Tensor Cores us", "idle_seconds", micro,
                         of_row(&TensorCoreRow::idle_seconds)},
                        {"Tensor Cores used", "tensor_cores", of_row(&TensorCoreRow::used)}});
  table.add(
      {"calls", "calls", [&](std::size_t layer) { return calls_text(profit.with_times[layer]); }});
  std::map<std::size_t, const FrameworkPick*> pick_of_layer;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (picks[i].ran_seconds) {
      pick_of_layer[products[i].layer] = &picks[i];
    } else {
      pick_of_layer.erase(products[i].layer);
    }
  }
  const auto of_pick = [&](auto member) {
    return [&pick_of_layer, member](std::size_t layer) {
      const auto pick = pick_of_layer.find(layer);
      return pick == pick_of_layer.end() ? unknown_cell() : member(*pick->second);
    };
  };
  table.add_if(
      !picks.empty(),
      {{"framework us", "framework_ran_seconds", micro,
        of_pick([](const FrameworkPick& pick) { return cell(pick.ran_seconds, micro); })},
       {"framework used them", "framework_tensor_cores",
        of_pick([](const FrameworkPick& pick) { return cell(pick.tensor_cores); })},
       {"framework's kernels", "framework_kernels",
        of_pick([](const FrameworkPick& pick) { return cell(pick.detail); }), name_width}});
  return table.sheet(order, {.name = "layers"});
}

Section tensor_cores_section(const Graph& graph, const TensorCoreProfit& profit, Movement movement,
                             const std::vector<AlgorithmRow>& rows,
                             const std::vector<FrameworkPick>& picks, bool of_gpu) {
  Section section = model_section(graph, profit.with, movement);
  if (!of_gpu) section.chapter = to_string(profit.with.precision);
  tensor_cores_add_totals(section, profit, of_gpu);
  add_left_out(
      section, graph, profit.left_out,
      is_partial(profit.without_times, movement) || is_partial(profit.with_times, movement));
  if (!picks.empty()) add_framework(section, totals(rows, picks));
  section.add(tensor_cores_layers_sheet(graph, profit, rows, picks, of_gpu));
  return section;
}

/// `subject` is at the precision with Tensor Cores.
Section tensor_cores_answer(const Subject& subject, Precision without) {
  const Graph& graph = subject.graph;
  const TensorCoreProfit profit = tensor_core_profit(graph, subject.measurements(), subject.filter,
                                                     without, subject.movement());
  if (!subject.allow_missing) {
    require_complete(graph, profit.without_times, to_string(without));
    require_complete(graph, profit.with_times, to_string(subject.filter.precision));
  }
  const auto rows = algorithm_rows(graph, subject.measurements(), profit.with);
  return tensor_cores_section(graph, profit, subject.movement(), rows, picks_of(subject, rows),
                              !are_of_processors(subject.inputs.results));
}

/// In a report `subject` is at the precision without Tensor Cores. Empty if nothing was measured
/// with them.
std::optional<Section> tensor_cores_in_report(const Subject& subject) {
  if (subject.filter.precision == subject.tensor_cores) return std::nullopt;
  if (!is_measured_at(subject.tensor_cores, subject)) return std::nullopt;
  MeasurementFilter with = subject.filter;
  with.precision = subject.tensor_cores;
  const Subject other{.inputs = subject.inputs,
                      .graph = subject.graph,
                      .filter = with,
                      .allow_missing = subject.allow_missing};
  return tensor_cores_answer(other, subject.filter.precision);
}

struct TensorCoresOptions {
  CommonFlags common;
  std::string without = "fp32";
};

Action ask_tensor_cores(Flags& flags) {
  const auto options = std::make_shared<TensorCoresOptions>();
  add_common_flags(flags, options->common, "fp16");
  flags.add("--without", options->without, "Precision without Tensor Cores");
  return [options] {
    const Precision without = precision_of(options->without, "--without");
    const Inputs inputs = read_inputs(options->common);
    require_kernels(inputs);
    print(page_of("tensor-cores", inputs,
                  [&](const Subject& subject) {
                    if (subject.filter.precision == without) {
                      throw Error("--precision " + options->without +
                                  ": is the one without Tensor Cores; say "
                                  "tf32, fp16, bf16 or int8, or another --without");
                    }
                    if (are_of_processors(inputs.results) &&
                        !is_measured_at(subject.filter.precision, subject)) {
                      throw Error("these results are of processors, and nothing was measured at " +
                                  std::string(to_string(subject.filter.precision)) +
                                  ": say another --precision (bf16, int8)");
                    }
                    return tensor_cores_answer(subject, without);
                  }),
          inputs);
  };
}

}  // namespace

Question tensor_cores_question() {
  return {.name = "tensor-cores",
          .help = "What Tensor Cores gain",
          .section = tensor_cores_in_report,
          .ask = ask_tensor_cores,
          .chapter = "Tensor Cores",
          .place = 50};
}

}  // namespace benanza::analysis
