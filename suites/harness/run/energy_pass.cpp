#include "suites/harness/run/energy_pass.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/statistics/repetitions.h"
#include "suites/harness/measure/energy.h"
#include "suites/harness/run/rivals.h"
#include "suites/harness/run/typical_call.h"

namespace benanza::harness {
namespace {

constexpr double as_fast = 1.05;

}  // namespace

std::set<std::string> fastest_variants(std::span<const Row> rows) {
  std::map<std::string, std::map<std::string, std::vector<double>>> by_question;
  for (const Row& row : rows) {
    if (row.status != Status::ok) continue;
    by_question[question_of(row.variant)][to_string(row.variant)].push_back(median(row.samples));
  }
  std::set<std::string> names;
  for (const auto& [question, variants] : by_question) {
    double least = trimmed_mean(variants.begin()->second);
    for (const auto& [name, times] : variants) least = std::min(least, trimmed_mean(times));
    for (const auto& [name, times] : variants) {
      if (trimmed_mean(times) <= least * as_fast) names.insert(name);
    }
  }
  return names;
}

bool has_energy(const Row& row) {
  const Facts facts = facts_of(row);
  return facts.contains("energy_joules") || facts.contains("energy_failed");
}

Facts energy_of_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                        double seconds) {
  const auto failed = [](std::string_view reason) {
    return Facts{{"energy_failed", one_line(reason)}};
  };
  try {
    TypicalCall typical(backend.create(variant), variant);
    // The verifier uploads the inputs.
    if (const auto mismatch = verifier(typical, variant)) return failed(*mismatch);
    typical.use_all_bits();
    typical.restore();
    EnergyMeter& meter = *backend.energy_meter();
    const auto energy = measure_energy(typical.call(), backend.stopwatch(), meter, seconds);
    if (!energy) return failed("the meter cannot be read");
    // Not 0 J: the readings are of the same update.
    if (!(energy->joules_per_call > 0)) {
      return failed("the meter did not advance; give --energy more seconds");
    }
    return {{"energy_joules", energy->joules_per_call},
            {"energy_watts", energy->watts},
            {"energy_window_seconds", energy->window_seconds},
            {"energy_busy_share", energy->busy_share},
            {"energy_error", energy->relative_error},
            {"energy_source", std::string(meter.source())}};
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace benanza::harness
