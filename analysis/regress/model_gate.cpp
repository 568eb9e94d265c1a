#include "analysis/regress/model_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"

namespace benanza::regress {
namespace {

using namespace analysis;

using Units = std::set<std::string, std::less<>>;
using Verdicts = std::map<std::string, const Judged*, std::less<>>;

/// Both sides' measurements.
struct Sides {
  MeasurementSet before{};
  MeasurementSet after{};
  std::set<Precision> precisions{};

  explicit Sides(const RowsOfRound& first) {
    for (const Row& row : first.before) {
      precisions.insert(row.variant.precision);
      before.add(row);
    }
    for (const Row& row : first.after) after.add(row);
  }
};

void add_units(Units& used, const std::vector<LayerTime>& times, Unit unit) {
  for (const LayerTime& time : times) {
    for (const Measurement* const call : time.calls) used.insert(unit_name(call->variant, unit));
  }
}

/// By how much the judged calls of a layer take longer; those that are faster count below 0.
struct LayerChange {
  double slower_seconds = 0;
  double faster_seconds = 0;
  bool has_lost = false;
};

LayerChange change_of(const LayerTime& time, const Verdicts& verdicts, Unit unit) {
  LayerChange change;
  for (const Measurement* const call : time.calls) {
    const auto found = verdicts.find(unit_name(call->variant, unit));
    if (found == verdicts.end()) continue;
    const Judged& judged = *found->second;
    change.has_lost = change.has_lost || judged.verdict == Verdict::lost;
    if (!judged.ratio) continue;
    const double longer = call->seconds() * (*judged.ratio - 1);
    if (judged.verdict == Verdict::faster) change.faster_seconds += longer;
    if (is_regression(judged.verdict)) change.slower_seconds += longer;
  }
  return change;
}

ModelVerdict verdict_of(const std::vector<LayerTime>& before, const std::vector<LayerTime>& after,
                        const Verdicts& verdicts, Unit unit) {
  constexpr Movement movement = Movement::exclude;
  ModelVerdict verdict{.before_seconds = sequential_seconds(counted_seconds(before, movement))};
  verdict.after_seconds = verdict.before_seconds;
  for (std::size_t layer = 0; layer < before.size(); ++layer) {
    if (!is_counted(before[layer], movement)) continue;
    ++verdict.layers;
    const LayerChange change = change_of(before[layer], verdicts, unit);
    // Another call may do the layer as well.
    if (change.has_lost && lacks_time(after[layer], movement)) verdict.lost.push_back(layer);
    verdict.after_seconds += change.slower_seconds + change.faster_seconds;
    if (change.slower_seconds <= 0) continue;
    verdict.slower.push_back(layer);
    verdict.slower_seconds += change.slower_seconds;
  }
  return verdict;
}

}  // namespace

LayerNames::LayerNames(const std::vector<Graph>& graphs) {
  for (const Graph& graph : graphs) {
    const std::string model =
        graph.batch ? fmt::format("{}, batch {}", graph.model, *graph.batch) : graph.model;
    const auto add = [&](const std::string& key, const std::string& layer) {
      std::vector<std::string>& known = layers_[key][model];
      if (std::ranges::find(known, layer) == known.end()) known.push_back(layer);
    };
    for (const Layer& layer : graph.layers) {
      for (const std::string& key : layer.problems) add(key, layer.name);
    }
    for (const Fusion& fusion : graph.fusions) {
      const std::string& last = graph.layers.at(fusion.layers.back()).name;
      add(fusion.problem, last);
      for (const std::string& key : fusion.also) add(key, last);
    }
  }
}

std::string LayerNames::of(std::string_view key) const {
  const auto found = layers_.find(key);
  if (found == layers_.end()) return "";
  std::string text;
  for (const auto& [model, layers] : found->second) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", model, layers.front());
    if (layers.size() > 1) text += fmt::format(" and {} more", layers.size() - 1);
  }
  return text;
}

bool OfModels::close(const GateAnswer& answer, const GateOptions& options) const {
  if (gates.empty()) return answer.closes();
  return answer.all_slower || std::ranges::any_of(gates, [&](const ModelGate& gate) {
           return gate.verdict.is_worse(options.tolerance);
         });
}

OfModels weigh(const std::vector<Graph>& graphs, const RowsOfRound& first, Unit unit,
               GateAnswer& answer) {
  if (graphs.empty()) return {};
  OfModels models;
  models.layers = [names = LayerNames(graphs)](std::string_view key) { return names.of(key); };
  const Sides sides(first);
  Verdicts verdicts;
  for (const Judged& one : answer.judged) verdicts.emplace(one.unit, &one);
  Units used;
  for (const Graph& graph : graphs) {
    for (const Precision precision : sides.precisions) {
      const MeasurementFilter filter{.precision = precision, .inner_moves = false};
      const auto before = operator_times(graph, sides.before, filter, Movement::exclude);
      const auto after = operator_times(graph, sides.after, filter, Movement::exclude);
      add_units(used, before, unit);
      add_units(used, after, unit);
      models.gates.push_back({.model = title(graph) + ", " + std::string(to_string(precision)),
                              .verdict = verdict_of(before, after, verdicts, unit)});
    }
  }
  models.unused =
      std::erase_if(answer.judged, [&](const Judged& one) { return !used.contains(one.unit); });
  return models;
}

}  // namespace benanza::regress
