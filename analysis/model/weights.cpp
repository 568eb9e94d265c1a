#include "analysis/model/weights.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "analysis/model/floor.h"

namespace benanza::analysis {
namespace {

/// The fastest call with weights from memory, by precision.
std::map<Precision, double> fastest_from_memory(std::span<const Measurement> calls) {
  std::map<Precision, double> fastest;
  for (const Measurement& call : calls) {
    if (call.status != Status::ok || !call.rotating_seconds) continue;
    const auto [found, is_new] =
        fastest.try_emplace(call.variant.precision, *call.rotating_seconds);
    if (!is_new) found->second = std::min(found->second, *call.rotating_seconds);
  }
  return fastest;
}

/// The spread of its repetitions stays, in percent.
Measurement from_memory(Measurement call) {
  const double factor = *call.rotating_seconds / call.seconds();
  for (double& seconds : call.repetition_seconds) seconds *= factor;
  return call;
}

}  // namespace

std::optional<double> weight_bytes(const Graph& graph, Precision precision) {
  if (!graph.compulsory) return std::nullopt;
  const Traffic& weights = graph.compulsory->weights;
  // A library that computes with wider numbers keeps them so.
  const std::int64_t elements = weights.elements + weights.halves;
  return static_cast<double>(elements * element_bytes(precision) + weights.bytes);
}

bool weights_come_from_memory(const Graph& graph, Precision precision,
                              std::optional<double> most_kept_bytes) {
  const auto bytes = weight_bytes(graph, precision);
  return bytes && most_kept_bytes && *bytes > *most_kept_bytes;
}

std::optional<MeasurementSet> with_weights_from_memory(const MeasurementSet& measurements) {
  bool any = false;
  MeasurementSet made;
  for (const std::string_view key : measurements.keys()) {
    const std::span<const Measurement> calls = measurements.find(key);
    const std::map<Precision, double> fastest = fastest_from_memory(calls);
    any = any || !fastest.empty();
    for (const Measurement& call : calls) {
      if (call.status == Status::ok && !call.variant.cold) {
        if (call.rotating_seconds) {
          made.add(from_memory(call));
          continue;
        }
        const auto rival = fastest.find(call.variant.precision);
        if (rival != fastest.end() && call.seconds() < rival->second) continue;
      }
      made.add(call);
    }
  }
  return any ? std::optional(std::move(made)) : std::nullopt;
}

const MeasurementSet& measurements_of(const Graph& graph, const MeasurementFilter& filter,
                                      const Results& results,
                                      const std::optional<MeasurementSet>& from_memory) {
  const bool is_from_memory =
      from_memory && !filter.weights_in_cache && !filter.cold &&
      weights_come_from_memory(graph, filter.precision,
                               device_rates(results, filter).most_kept_bytes);
  return is_from_memory ? *from_memory : results.measurements;
}

}  // namespace benanza::analysis
