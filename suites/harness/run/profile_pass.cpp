#include "suites/harness/run/profile_pass.h"

#include <algorithm>
#include <exception>
#include <memory>

namespace benanza::harness {
namespace {

bool is_profiled(const Row& row, std::string_view kinds) { return row.profiled == kinds; }

/// The ok rows of the variant `name` without the profile of `kinds`.
std::vector<Row> rows_without(std::string_view kinds, const std::string& name,
                              const ResultStore& store, std::int64_t repetitions) {
  std::vector<Row> rows = store.ok_rows(name, repetitions);
  // One that crashed the profiler would do it again.
  const bool is_hopeless = std::ranges::any_of(
      rows, [&](const Row& row) { return is_profiled(row, kinds) && !row.profile_failed.empty(); });
  std::erase_if(rows, [&](const Row& row) { return is_hopeless || is_profiled(row, kinds); });
  return rows;
}

/// Library errors do not throw, except EngineLost.
Facts profile(Backend& backend, const Variant& variant, const Verifier& verifier,
              std::int64_t calls, bool cold) {
  try {
    const Way way = backend.way(variant);
    const std::shared_ptr<Primitive> primitive = make_alone(way, backend.allocator());
    // The verifier uploads the inputs used for timing.
    if (const auto mismatch = verifier(*primitive, variant, way.traits)) {
      return {{"profile_failed", "incorrect: " + one_line(*mismatch)}};
    }
    if (cold) {
      backend.stopwatch().time_cold(*primitive);
    } else {
      backend.stopwatch().time(*primitive, calls);
    }
    return primitive->profile();
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return {{"profile_failed", one_line(error.what())}};
  }
}

}  // namespace

LaterPass profile_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                       std::int64_t repetitions, bool cold) {
  const std::string kinds = backend.profile_kinds();
  const auto rows_due = [&store, repetitions, kinds](const std::string& name) {
    return kinds.empty() ? std::vector<Row>{} : rows_without(kinds, name, store, repetitions);
  };
  return {.failure = "profile_failed",
          .where = "while profiling",
          .rows_due = rows_due,
          .measure =
              [&backend, &verifier, cold](const Variant& variant, const Row& row) {
                return profile(backend, variant, verifier, row.calls_per_sample.value_or(1), cold);
              },
          .completed =
              [kinds](const Row& row, const Facts& facts) {
                Row completed = with_facts(row, facts);
                completed.profiled = kinds;
                return completed;
              }};
}

}  // namespace benanza::harness
