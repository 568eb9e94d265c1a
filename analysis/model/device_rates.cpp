#include "analysis/model/device_rates.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/model/floor.h"
#include "core/problem/least_work.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

/// The fastest a product of the results did its arithmetic, in FLOP/s; 0 if there is none that a
/// peak of `limit` allows.
double fastest_product(const MeasurementSet& measurements, const MeasurementFilter& filter,
                       Precision precision, double limit) {
  double fastest = 0;
  for (const std::string_view key : measurements.keys()) {
    if (!asks_for<Gemm, Convolution>(key)) continue;
    const Problem problem = parse(std::string(key));
    if (problem.packed && problem.packed->rounds_data) continue;  // may be done at fewer bits
    const double flops = least_flops(problem);
    for (const Measurement& row : measurements.find(key)) {
      if (row.status != Status::ok || row.variant.precision != precision) continue;
      if (!admits_backend(filter, row.variant.backend)) continue;
      const double seconds = row.seconds();
      const double rate = flops / std::min(seconds, row.rotating_seconds.value_or(seconds));
      if (rate <= limit) fastest = std::max(fastest, rate);
    }
  }
  return fastest;
}

void raise(std::optional<double>& rate, double value) {
  if (value > 0) rate = std::max(rate.value_or(0), value);
}

std::optional<double> arithmetic_rate(const Results& results, const MeasurementFilter& filter,
                                      Precision precision) {
  const std::string flops = std::string(to_string(precision)) + "_flops_per_second";
  std::optional<double> rate;
  std::optional<double> possible;
  for (const auto& [backend, peaks] : results.peaks) {
    if (!admits_backend(filter, backend)) continue;
    if (const auto found = peaks.find("peak_" + flops); found != peaks.end()) {
      raise(rate, found->second);
    }
    if (const auto found = peaks.find("possible_" + flops); found != peaks.end()) {
      raise(possible, found->second);
    }
  }
  // The products that measure the peak are large and may reach the limit of power. Others are
  // faster then, a few percent where they are short, and up to the peak on zeros in a cooler
  // minute. Those on zeros are no faster than other products may be, but for noise.
  constexpr double tolerated = 1.1;
  constexpr double noise = 1.03;
  if (rate) {
    const double limit = std::max(tolerated * *rate, noise * possible.value_or(0));
    raise(rate, fastest_product(results.measurements, filter, precision, limit));
  }
  return rate;
}

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

DeviceRates rates_of_layer(const DeviceRates& rates, Precision own, Precision asked) {
  DeviceRates of = rates;
  if (own == asked) return of;
  const auto known = rates.flops_per_second_at.find(own);
  if (known != rates.flops_per_second_at.end()) {
    raise(of.flops_per_second, known->second);
  } else if (element_bytes(own) < element_bytes(asked)) {
    of.flops_per_second.reset();
  }
  return of;
}

DeviceRates device_rates(const Results& results, const MeasurementFilter& filter) {
  DeviceRates rates{.flops_per_second = arithmetic_rate(results, filter, filter.precision)};
  for (const Precision precision : all_precisions) {
    if (precision == filter.precision) continue;
    if (const auto rate = arithmetic_rate(results, filter, precision)) {
      rates.flops_per_second_at.emplace(precision, *rate);
    }
  }
  const auto admitted = [&](const std::string& backend) { return admits_backend(filter, backend); };
  for (const auto& [backend, peaks] : results.peaks) {
    if (!admitted(backend)) continue;
    if (const auto found = peaks.find("peak_bytes_per_second"); found != peaks.end()) {
      raise(rates.bytes_per_second, found->second);
    }
  }
  for (const auto& [backend, system] : results.systems) {
    if (!admitted(backend)) continue;
    using Kept = std::pair<const char*, double>;
    for (const auto& [name, kept] :
         {Kept("l2_bytes", 0.9), Kept("l3_bytes", 2), Kept("cache_bytes", 2)}) {
      const auto found = system.find(name);
      if (found == system.end()) continue;
      try {
        const double bytes = std::stod(found->second);
        raise(rates.cache_bytes, bytes);
        raise(rates.most_kept_bytes, kept * bytes);
      } catch (const std::exception&) {
        // The context has a malformed value: unknown.
      }
    }
  }
  return rates;
}

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
