#include "suites/harness/run/rotation_pass.h"

#include <algorithm>
#include <exception>
#include <set>
#include <string>

#include "core/statistics/summary.h"
#include "suites/harness/run/near_fastest.h"
#include "suites/harness/run/rotating_call.h"

namespace benanza::harness {
namespace {

/// Lets the stopwatch forget a call before it is destroyed.
class Forgotten {
 public:
  Forgotten(Stopwatch& stopwatch, const Primitive& call) : stopwatch_(stopwatch), call_(call) {}
  ~Forgotten() { stopwatch_.forget(call_); }
  Forgotten(const Forgotten&) = delete;
  Forgotten& operator=(const Forgotten&) = delete;

 private:
  Stopwatch& stopwatch_;
  const Primitive& call_;
};

bool was_rotated(const Row& row) { return row.rotating_seconds || !row.rotating_failed.empty(); }

/// Library errors do not throw, except EngineLost.
Facts rotating_time(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options) {
  const auto failed = [](std::string_view reason) {
    return Facts{{"rotating_failed", one_line(reason)}};
  };
  Stopwatch& stopwatch = backend.stopwatch();
  const auto wanted = rotation(variant.problem, variant.precision, stopwatch);
  if (!wanted) return failed("its weights are too small");
  try {
    const Way way = backend.way(variant);
    RotatingCall call(way, variant.problem, backend.allocator(), wanted->copies);
    const Forgotten forgotten(stopwatch, call);
    // The verifier uploads the operands.
    if (const auto mismatch = verifier(call, variant, way.traits)) return failed(*mismatch);
    MeasureOptions own = options;
    own.rival_seconds.reset();
    own.payback = 0;
    const Outcome outcome = measure(call, stopwatch, own);
    double seconds = median(outcome.samples);
    const auto copies = static_cast<double>(wanted->copies);
    if (wanted->flushes) {
      const auto flush = stopwatch.flush_seconds(call);
      if (!flush) return failed("it cannot be captured in a graph");
      seconds += *flush / copies;
    }
    return {{"rotating_seconds", seconds}, {"rotating_copies", copies}};
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace

LaterPass rotation_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                        std::int64_t repetitions, const MeasureOptions& options) {
  const std::set<std::string> fastest = fastest_variants(store.rows(), rotation_contends);
  const std::set<std::string> nearest = fastest_variants(store.rows(), flush_contends);
  const auto rows_due = [&backend, &store, repetitions, fastest, nearest](const std::string& name) {
    std::vector<Row> rows;
    if (!fastest.contains(name)) return rows;
    rows = store.ok_rows(name, repetitions);
    const bool none = std::ranges::any_of(
        rows, [&](const Row& row) { return was_rotated(row) || row.in_place || row.variant.cold; });
    if (none || rows.empty()) return std::vector<Row>{};
    const VariantName& variant = rows.front().variant;
    const auto wanted = rotation(parse(variant.key), variant.precision, backend.stopwatch());
    if (!wanted || (wanted->flushes && !nearest.contains(name))) rows.clear();
    return rows;
  };
  return {.failure = "rotating_failed",
          .where = "with weights from memory, while timing",
          .rows_due = rows_due,
          .measure = [&backend, &verifier, &options](
                         const Variant& variant,
                         const Row&) { return rotating_time(backend, variant, verifier, options); },
          .completed = with_facts};
}

}  // namespace benanza::harness
