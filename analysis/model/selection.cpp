#include "analysis/model/selection.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace benanza::analysis {
namespace {

bool fits(const MeasurementFilter& filter, const Measurement& measurement) {
  return !filter.max_workspace_bytes ||
         measurement.workspace_bytes.value_or(0) <= *filter.max_workspace_bytes;
}

bool may_write(const MeasurementFilter& filter, const Measurement& measurement) {
  return filter.overwrites_residual || !measurement.in_place;
}

/// Returns true if `filter` may choose this ok measurement.
bool may_take(const MeasurementFilter& filter, const Measurement& measurement) {
  return fits(filter, measurement) && (filter.tensor_cores || measurement.tensor_cores == false) &&
         may_write(filter, measurement);
}

/// Why none of the ok measurements may be chosen.
std::string nothing_allowed(const MeasurementFilter& filter, bool all_overwrite) {
  if (all_overwrite) return "every call overwrites the residual, which is needed again";
  return filter.tensor_cores ? "needs more workspace than allowed"
                             : "no call is known to do without Tensor Cores";
}

/// Returns the candidate that `policy` chooses (AlgorithmPolicy).
const Measurement* picked(const std::vector<const Measurement*>& candidates,
                          AlgorithmPolicy policy) {
  std::map<std::pair<Layout, std::string_view>, const Measurement*> picks;
  const Measurement* best = nullptr;
  if (policy == AlgorithmPolicy::heuristic) {
    const auto rank = [](const Measurement& measurement) {
      return measurement.heuristic_rank.value_or(std::numeric_limits<int>::max());
    };
    for (const Measurement* candidate : candidates) {
      const Measurement*& pick =
          picks[{candidate->variant.layout, std::string_view(candidate->variant.backend)}];
      if (pick == nullptr || rank(*candidate) < rank(*pick) ||
          (rank(*candidate) == rank(*pick) && candidate->seconds() < pick->seconds())) {
        pick = candidate;
      }
    }
    for (const auto& [group, pick] : picks) {
      if (best == nullptr || pick->seconds() < best->seconds()) best = pick;
    }
    return best;
  }
  double best_seconds = 0;
  for (const Measurement* candidate : candidates) {
    const double seconds = candidate->seconds();
    if (best != nullptr && best_seconds <= seconds) continue;
    best = candidate;
    best_seconds = seconds;
  }
  return best;
}

/// The fastest call was fast in part by chance: the choice is made again without each process, by
/// which it is judged (cross-validation).
double luck_of(const Measurement& best, const std::vector<const Measurement*>& candidates) {
  // Others do not become the fastest for want of one process.
  constexpr double contends = 1.25;
  const std::vector<ProcessValue> processes = best.process_seconds();
  if (processes.size() < 3) return 0;
  std::vector<std::vector<ProcessValue>> contenders;
  for (const Measurement* const candidate : candidates) {
    if (candidate->seconds() > contends * best.seconds()) continue;
    if (auto values = candidate->process_seconds(); values.size() >= 3) {
      contenders.push_back(std::move(values));
    }
  }
  if (contenders.size() < 2) return 0;
  std::vector<ProcessValue> judged;
  for (const auto& [process, own] : processes) {
    double least = std::numeric_limits<double>::infinity();
    double there = own;
    for (const std::vector<ProcessValue>& values : contenders) {
      const auto here = std::ranges::find(values, process, &ProcessValue::process);
      if (here == values.end()) continue;
      std::vector<ProcessValue> others = values;
      std::erase_if(others, [&](const ProcessValue& one) { return one.process == process; });
      const double seconds = mean_over_processes(others);
      if (seconds >= least) continue;
      least = seconds;
      there = here->value;
    }
    judged.push_back({process, there});
  }
  return std::max(0.0, mean_over_processes(judged) - best.seconds());
}

}  // namespace

bool admits_backend(const MeasurementFilter& filter, std::string_view backend) {
  return filter.backends.empty() ||
         std::ranges::find(filter.backends, backend) != filter.backends.end();
}

bool admits(const MeasurementFilter& filter, Precision precision, const Measurement& measurement) {
  const VariantName& variant = measurement.variant;
  return variant.precision == precision && variant.cold == filter.cold &&
         (!filter.layout || variant.layout == *filter.layout || variant.layout == Layout::plain) &&
         admits_backend(filter, variant.backend);
}

bool is_candidate(const MeasurementFilter& filter, Precision precision,
                  const Measurement& measurement) {
  return admits(filter, precision, measurement) && measurement.status == Status::ok &&
         may_take(filter, measurement);
}

Selected select_measurement(std::string_view key, const MeasurementSet& measurements,
                            const MeasurementFilter& filter, Precision precision) {
  Selected selected{.best = nullptr, .unsupported = true, .reason = ""};
  std::vector<const Measurement*> candidates;
  bool any = false;
  bool measured = false;
  bool all_overwrite = true;
  for (const Measurement& measurement : measurements.find(key)) {
    if (!admits(filter, precision, measurement)) continue;
    any = true;
    if (measurement.status == Status::ok) {
      measured = true;
      all_overwrite = all_overwrite && !may_write(filter, measurement);
      if (may_take(filter, measurement)) candidates.push_back(&measurement);
    } else if (measurement.status == Status::unsupported) {
      if (selected.reason.empty()) selected.reason = measurement.reason;
    } else {
      // The variant exists but gave no time: measuring again could help.
      selected.unsupported = false;
      selected.reason = std::string(to_string(measurement.status)) + ": " + measurement.reason;
    }
  }
  if (!any) return {.best = nullptr, .unsupported = false, .reason = "not measured"};
  selected.best = picked(candidates, filter.policy);
  if (selected.best != nullptr && filter.policy == AlgorithmPolicy::fastest) {
    selected.luck_seconds = luck_of(*selected.best, candidates);
  }
  if (selected.best == nullptr && measured) {
    selected.unsupported = true;
    selected.reason = nothing_allowed(filter, all_overwrite);
  }
  return selected;
}

std::optional<Precision> usual_fallback(Precision precision, const KeySet& problems,
                                        const MeasurementSet& measurements) {
  if (element_bytes(precision) != 1) return std::nullopt;
  const bool is_measured = std::ranges::any_of(problems, [&](const std::string& key) {
    return std::ranges::any_of(measurements.find(key), [](const Measurement& one) {
      return one.variant.precision == Precision::fp32;
    });
  });
  return is_measured ? std::optional(Precision::fp32) : std::nullopt;
}

}  // namespace benanza::analysis
