// floor <= bound with fusion <= bound <= framework.

#include "analysis/questions/bound/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/critical_path.h"
#include "analysis/model/fusion.h"
#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

/// Sums of the same numbers in different orders differ by less.
constexpr double rounding = 1e-9;

bool is_above(double a, double b) { return a > b * (1 + rounding); }

std::string milliseconds_only(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string in_place_text(const Moved& moved) {
  if (moved.in_place == 0) return "";
  return fmt::format(", {:.3f} of them twice in one place", moved.in_place * 1e-6);
}

/// "8.197 GFLOP at 3.48e+12 FLOP/s"; of several precisions, those of each.
std::string work_text(const ModelFloor& floor, Precision asked) {
  std::string text;
  for (const auto& [precision, flops] : floor.flops_at) {
    if (flops == 0 && floor.model.flops > 0) continue;
    const auto rate = rates_of_layer(floor.rates, precision, asked).flops_per_second;
    if (!rate) continue;
    text += fmt::format("{}{:.3f} GFLOP at {:.3g} FLOP/s", text.empty() ? "" : ", ", flops * 1e-9,
                        *rate);
    if (flops != floor.model.flops) text += fmt::format(" ({})", to_string(precision));
  }
  return text;
}

std::string floor_text(const ModelFloor& floor, Precision asked) {
  const Floor& model = floor.model;
  const DeviceRates& rates = floor.rates;
  std::string text = model.seconds() ? milliseconds(*model.seconds()) + ": " : "not known: ";
  if (model.arithmetic_seconds) {
    text += fmt::format("arithmetic {} ({})", milliseconds(*model.arithmetic_seconds),
                        work_text(floor, asked));
  } else {
    text += "no measured peak of arithmetic at this precision";
  }
  if (model.memory_seconds) {
    text += fmt::format(", memory {} ({:.3f} MB{}, less {:.0f} MB of cache, at {:.3g} byte/s)",
                        milliseconds(*model.memory_seconds), model.moved->bytes() * 1e-6,
                        in_place_text(*model.moved), *rates.cache_bytes * 1e-6,
                        *rates.bytes_per_second);
  } else if (!model.moved) {
    text += ", the graph file does not say what every run reads and writes";
  } else if (!rates.bytes_per_second) {
    text += ", no measured peak of memory";
  } else {
    text += ", the size of the cache is not known";
  }
  return text;
}

/// For a parallel bound below the floor `least`.
std::string parallel_sentence(const Ladder& ladder, double least) {
  return fmt::format(
      "LBL parallel {:.3f} ms is below the floor of {:.3f} ms{}: no run takes that little",
      ladder.parallel_seconds * 1e3, least * 1e3,
      is_above(least, ladder.sequential_seconds)
          ? ", as LBL sequential is"
          : ", because layers side by side share the device, and the bound gives each all of it");
}

ordered_json floor_json(const Floor& floor) {
  const auto bytes = floor.moved ? std::optional(floor.moved->bytes()) : std::nullopt;
  const auto in_place = floor.moved ? std::optional(floor.moved->in_place) : std::nullopt;
  return {{"seconds", floor.seconds()},
          {"flops", floor.flops},
          {"bytes", bytes},
          {"in_place_bytes", in_place},
          {"arithmetic_seconds", floor.arithmetic_seconds},
          {"memory_seconds", floor.memory_seconds}};
}

}  // namespace

std::vector<std::size_t> Ladder::undercut() const {
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
    const std::optional<double> least = layer_floor(layer);
    if (least && is_above(*least, *seconds[layer])) layers.push_back(layer);
  }
  return layers;
}

bool Ladder::is_of_warm_calls() const {
  const std::optional<double> least = floor.model.seconds();
  return !cold && least && is_above(*least, fused_seconds) && floor.model.is_by_memory() &&
         in_neither == 0 && undercut().empty();
}

void Ladder::add_breaks(const Rung& rung, std::vector<std::string>& sentences) const {
  constexpr std::size_t operators_listed = 3;
  const std::optional<double> least = floor.model.seconds();
  if (least && is_above(*least, rung.seconds)) {
    sentences.push_back(rung.name +
                        " is below the floor: another device or clock, or not this model");
  }
  if (!is_above(sequential_seconds, rung.seconds)) return;
  std::string by = is_above(fused_seconds, rung.seconds) ? "both bounds" : "the bound";
  if (seen_seconds && is_above(*seen_seconds, rung.seconds)) by += " and what was seen";
  sentences.push_back(
      rung.faster.empty()
          ? fmt::format("{} is below {}, and none of its operators below that of its layers: they "
                        "overlap, or its kernels are not known",
                        rung.name, by)
          : fmt::format("{} is below {}: it is faster at {}", rung.name, by,
                        enumerated(rung.faster, operators_listed)));
}

std::vector<std::string> Ladder::breaks(const Graph& graph) const {
  std::vector<std::string> sentences;
  for (const std::size_t layer : undercut()) {
    sentences.push_back(
        fmt::format("{} takes {:.2f} us, below its floor of {:.2f} us by {}: the measured peak, "
                    "the time or the "
                    "floor is wrong",
                    graph.layers[layer].name, *seconds[layer] * 1e6, *layer_floor(layer) * 1e6,
                    floor.layers[layer].is_by_memory() ? "memory" : "arithmetic"));
  }
  const std::optional<double> least = floor.model.seconds();
  if (least && is_above(*least, fused_seconds)) {
    sentences.push_back(
        in_neither > 0
            ? fmt::format("the floor is above the bound, which lacks {} layers", in_neither)
        : is_of_warm_calls()
            ? "no run can be below the floor: the model's data do not fit the cache, but each "
              "call's data did when it was timed alone (bench_* --sequence times the calls back to "
              "back)"
            : "the floor is above the bound with fusion: the measured peaks, the times "
              "or the floor are wrong");
  }
  // A sum of cold calls is no bound that a framework, a fusion or a path has to keep to.
  if (cold) return sentences;
  if (least && in_neither == 0 && is_above(*least, parallel_seconds)) {
    sentences.push_back(parallel_sentence(*this, *least));
  }
  if (least && seen_seconds && is_above(*least, *seen_seconds)) {
    sentences.push_back(
        "the floor is above the bound with the profiles' kernels: these ran on another device or "
        "clock, or the floor is wrong");
  }
  if (seen_seconds && is_above(*seen_seconds, fused_seconds)) {
    sentences.push_back(
        "seen-best is of more layers than the bound with fusion: of those that no measured call "
        "does");
  }
  if (is_above(fused_seconds, sequential_seconds)) {
    sentences.push_back(
        fmt::format("the bound with fusion is of {} layers more, which no call does alone, as {}",
                    only_fused.size(),
                    only_fused.empty() ? std::string("?") : graph.layers[only_fused.front()].name));
  }
  for (const Rung& rung : frameworks) add_breaks(rung, sentences);
  return sentences;
}

Ladder make_ladder(const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement,
                   const std::vector<LayerTime>& times, const DeviceRates& rates) {
  Ladder ladder{.floor = model_floor(graph, times, rates, filter), .cold = filter.cold};
  for (const LayerTime& time : times) {
    ladder.seconds.push_back(time.calls.empty() ? std::nullopt : time.seconds);
  }
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const Precision own = precision_of(graph.layers[layer], filter.precision);
    ladder.multiplying_seconds.push_back(
        multiplying_seconds(times[layer], rates_of_layer(rates, own, filter.precision)));
  }
  const std::vector<double> counted = counted_seconds(times, movement);
  ladder.sequential_seconds = sequential_seconds(counted);
  ladder.parallel_seconds = critical_path(graph.layers, counted).seconds;
  const std::vector<LayerTime> alone = layer_times(graph, measurements, filter);
  const std::vector<LayerTime> fusions = fusion_times(graph, measurements, filter);
  const Cover cover = fusion_cover(graph, alone, fusions, movement);
  ladder.fused_seconds = cover.seconds;
  for (const LayerTime& time : fusions) {
    if (time.status == LayerStatus::missing) ++ladder.missing_fusions;
  }
  std::vector<bool> is_fused(graph.layers.size());
  for (const std::size_t fusion : cover.pieces) {
    for (const std::size_t layer : graph.fusions[fusion].layers) is_fused[layer] = true;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (!lacks_time(times[layer], movement)) continue;
    if (is_fused[layer]) {
      ladder.only_fused.push_back(layer);
    } else {
      ++ladder.in_neither;
    }
  }
  return ladder;
}

void add_frameworks(Ladder& ladder, const Graph& graph,
                    const std::vector<Comparison>& comparisons) {
  for (const Comparison& comparison : comparisons) {
    const Latency* best = nullptr;
    Rung rung{.name = comparison.profile->framework};
    if (comparison.latency) best = &*comparison.latency;
    const auto& as_graph = comparison.graph_latency;
    if (as_graph && (best == nullptr || as_graph->seconds < best->seconds)) {
      best = &*as_graph;
      rung.name += ", CUDA graph";
    }
    if (best == nullptr) continue;
    rung.seconds = best->seconds;
    const std::vector<Loss>& losses = comparison.losses.list;
    for (auto loss = losses.rbegin(); loss != losses.rend(); ++loss) {
      if (loss->lost_seconds >= 0) break;
      if (loss->within_noise) continue;
      const std::vector<std::size_t>& layers = comparison.mapping.layers_of_node[loss->node];
      rung.faster.push_back(fmt::format("{} ({:.1f} us less)",
                                        layers.empty() ? comparison.profile->nodes[loss->node].name
                                                       : graph.layers[layers.back()].name,
                                        -loss->lost_seconds * 1e6));
    }
    ladder.frameworks.push_back(std::move(rung));
  }
}

namespace {

ordered_json ladder_json(const BoundReport& report) {
  const Ladder& ladder = report.ladder;
  if (ladder.seconds.empty()) return nullptr;
  ordered_json frameworks = ordered_json::array();
  for (const Rung& rung : ladder.frameworks) {
    frameworks.push_back({{"name", rung.name}, {"seconds", rung.seconds}, {"faster", rung.faster}});
  }
  const std::vector<std::string> breaks = ladder.breaks(*report.graph);
  return {{"holds", ladder.cold ? ordered_json() : ordered_json(breaks.empty())},
          {"breaks", breaks},
          {"undercut_layers", names_of(*report.graph, ladder.undercut())},
          {"floor", floor_json(ladder.floor.model)},
          {"peak_flops_per_second", ladder.floor.rates.flops_per_second},
          {"peak_bytes_per_second", ladder.floor.rates.bytes_per_second},
          {"cache_bytes", ladder.floor.rates.cache_bytes},
          {"seen_seconds", ladder.seen_seconds},
          {"fused_seconds", ladder.fused_seconds},
          {"missing_fusions", ladder.missing_fusions},
          {"only_fused_layers", names_of(*report.graph, ladder.only_fused)},
          {"sequential_seconds", ladder.sequential_seconds},
          {"parallel_seconds", ladder.parallel_seconds},
          {"frameworks", frameworks}};
}

/// Cold calls make no ladder: no "<=" stands between their sums and a framework.
void add_cold_sums(Section& section, const BoundReport& report) {
  const Ladder& ladder = report.ladder;
  section.add(Entry{"  with fusion",
                    milliseconds(ladder.fused_seconds) + (report.is_partial() ? "  PARTIAL" : "")});
  for (const std::string& sentence : ladder.breaks(*report.graph)) {
    section.add(Entry{"  but", sentence});
  }
  section.add(Entry{"floor", floor_text(ladder.floor, report.filter.precision)});
}

}  // namespace

void add_ladder(Section& section, const BoundReport& report) {
  section.facts["ladder"] = ladder_json(report);
  const Ladder& ladder = report.ladder;
  if (ladder.seconds.empty()) return;
  const auto step = [](double below, double above) {
    return is_above(below, above) ? std::string(" > ") : std::string(" <= ");
  };
  if (ladder.cold) {
    add_cold_sums(section, report);
    return;
  }
  const std::optional<double> least = ladder.floor.model.seconds();
  std::string text = least ? "floor " + milliseconds_only(*least) +
                                 step(*least, ladder.seen_seconds.value_or(ladder.fused_seconds))
                           : "floor not known, ";
  if (ladder.seen_seconds) {
    text += "seen-best " + milliseconds_only(*ladder.seen_seconds) +
            step(*ladder.seen_seconds, ladder.fused_seconds);
  }
  text += "with fusion " + milliseconds_only(ladder.fused_seconds) +
          step(ladder.fused_seconds, ladder.sequential_seconds);
  text += "LBL " + milliseconds_only(ladder.sequential_seconds);
  std::vector<const Rung*> rungs;
  for (const Rung& rung : ladder.frameworks) rungs.push_back(&rung);
  std::ranges::stable_sort(rungs, {}, [](const Rung* rung) { return rung->seconds; });
  double below = ladder.sequential_seconds;
  for (const Rung* rung : rungs) {
    text += step(below, rung->seconds) + rung->name + ' ' + milliseconds_only(rung->seconds);
    below = rung->seconds;
  }
  section.add(Entry{"ladder", text + " ms" + (report.is_partial() ? "  PARTIAL" : "")});
  for (const std::string& sentence : ladder.breaks(*report.graph)) {
    section.add(Entry{"  but", sentence});
  }
  if (ladder.missing_fusions > 0) {
    section.add(Entry{"", fmt::format("{} fusions were not measured: with them it may be lower",
                                      ladder.missing_fusions)});
  }
  section.add(Entry{"  floor", floor_text(ladder.floor, report.filter.precision)});
}

}  // namespace benanza::analysis
