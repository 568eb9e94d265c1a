#pragma once

#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/layer_time.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

/// Helpers to write a test's models and measurements.
namespace benanza::test {

using namespace analysis;

inline constexpr double ms = 1e-3;
inline constexpr double us = 1e-6;

/// A measured layer with one problem, "relu/<name>".
inline Layer layer(const std::string& name, std::vector<std::size_t> inputs) {
  return {.name = name,
          .op = "Relu",
          .inputs = std::move(inputs),
          .cost = Cost::measured,
          .problems = {"relu/" + name},
          .flops = 1e6,
          .bytes = 1e3,
          .outputs = {{.name = name + "_out"}}};
}

inline Layer layer(const std::string& name, std::vector<std::size_t> inputs, Cost cost,
                   const std::string& reason = "") {
  Layer made = layer(name, std::move(inputs));
  made.cost = cost;
  made.reason = reason;
  if (cost == Cost::free || cost == Cost::unsupported) {
    made.problems.clear();
    made.flops.reset();
  }
  return made;
}

/// `name` as in a results file, `repetitions` in seconds, all of one process.
inline Measurement measured_in_one_process(const std::string& name,
                                           std::vector<double> repetitions) {
  return {.variant = parse_variant_name(name),
          .status = Status::ok,
          .repetition_seconds = std::move(repetitions)};
}

/// The same, each repetition of a process of its own.
inline Measurement measured(const std::string& name, std::vector<double> repetitions) {
  Measurement made = measured_in_one_process(name, std::move(repetitions));
  for (std::size_t i = 0; i < made.repetition_seconds.size(); ++i) {
    made.repetition_processes.push_back(static_cast<std::int64_t>(i) + 1);
  }
  return made;
}

/// Five equal repetitions: enough for an interval.
inline std::vector<double> five(double seconds) { return std::vector<double>(5, seconds); }

inline Measurement refused(const std::string& name, Status status, const std::string& reason) {
  return {.variant = parse_variant_name(name), .status = status, .reason = reason};
}

/// "relu/<layer>/fp32/nchw/onednn/jit" for every layer, all repetitions equal.
inline MeasurementSet steady(const std::vector<std::pair<std::string, double>>& seconds) {
  MeasurementSet set;
  for (const auto& [name, value] : seconds) {
    set.add(measured("relu/" + name + "/fp32/nchw/onednn/jit", five(value)));
  }
  return set;
}

}  // namespace benanza::test
