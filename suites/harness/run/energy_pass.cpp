#include "suites/harness/run/energy_pass.h"

#include <algorithm>
#include <exception>
#include <set>
#include <string>

#include "suites/harness/measure/energy.h"
#include "suites/harness/run/near_fastest.h"
#include "suites/harness/run/typical_call.h"

namespace benanza::harness {
namespace {

bool has_energy(const Row& row) { return row.energy_joules || !row.energy_failed.empty(); }

/// Library errors do not throw, except EngineLost.
Facts energy_of(Backend& backend, const Variant& variant, const Verifier& verifier,
                double seconds) {
  const auto failed = [](std::string_view reason) {
    return Facts{{"energy_failed", one_line(reason)}};
  };
  try {
    const Way way = backend.way(variant);
    TypicalCall typical(make_alone(way, backend.allocator()), variant);
    // The verifier uploads the inputs.
    if (const auto mismatch = verifier(typical, variant, way.traits)) return failed(*mismatch);
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

}  // namespace

LaterPass energy_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                      std::int64_t repetitions, double seconds) {
  const std::set<std::string> fastest = fastest_variants(store.rows());
  const auto rows_due = [&store, repetitions, fastest](const std::string& name) {
    std::vector<Row> rows;
    if (fastest.contains(name)) rows = store.ok_rows(name, repetitions);
    if (std::ranges::any_of(rows, has_energy)) rows.clear();
    return rows;
  };
  return {.failure = "energy_failed",
          .where = "while measuring the energy of",
          .rows_due = rows_due,
          .measure = [&backend, &verifier, seconds](
                         const Variant& variant,
                         const Row&) { return energy_of(backend, variant, verifier, seconds); },
          .completed = with_facts};
}

}  // namespace benanza::harness
