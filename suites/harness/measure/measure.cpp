#include "suites/harness/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "core/statistics/summary.h"

namespace benanza::harness {
namespace {

constexpr std::int64_t maximum_calls = std::int64_t{1} << 20;
constexpr std::size_t minimum_budget_samples = 3;
constexpr double hard_limit_budgets = 10;

/// Wall clock of the loop itself, flushing included.
class WallClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Warmup {
  double seconds = 0;
  /// Estimated from the last and longest batch.
  double seconds_per_call = 0;
};

/// Batches of 1, 1, 2, 4, ... calls.
Warmup warm_up(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options) {
  Warmup result;
  result.seconds_per_call = result.seconds = stopwatch.time(primitive, 1);
  if (result.seconds > options.budget_seconds) return result;
  std::int64_t calls = 1;
  do {
    const double seconds = stopwatch.time(primitive, calls);
    result.seconds += seconds;
    result.seconds_per_call = seconds / static_cast<double>(calls);
    calls *= 2;
  } while (result.seconds < options.warmup_seconds && calls <= maximum_calls);
  return result;
}

std::int64_t batch_size(const Warmup& warmup, const MeasureOptions& options) {
  if (options.cold) return 1;
  const double calls = std::ceil(options.sample_seconds / warmup.seconds_per_call);
  // Not a number and infinity (a clock that stood still) end at the limit, too.
  if (!(calls < static_cast<double>(maximum_calls))) return maximum_calls;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(calls));
}

/// Even the fastest sample takes more than `factor` times as long as the rival.
bool is_behind(const std::vector<double>& samples, const MeasureOptions& options, double factor) {
  return options.rival_seconds &&
         *std::min_element(samples.begin(), samples.end()) > *options.rival_seconds * factor;
}

bool converged(const std::vector<double>& samples, const MeasureOptions& options) {
  const double center = median(samples);
  const Interval interval = order_statistic_interval(samples);
  return interval.low >= center * (1 - options.precision) &&
         interval.high <= center * (1 + options.precision);
}

}  // namespace

Outcome measure(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options,
                Observer* observer) {
  const WallClock wall;
  const Warmup warmup = warm_up(primitive, stopwatch, options);

  Outcome outcome;
  outcome.calls_per_sample = batch_size(warmup, options);
  const double preparation = options.preparation_seconds + wall.seconds();
  const double minimum = std::min(options.budget_seconds,
                                  std::max(options.minimum_seconds, options.payback * preparation));
  const double hard_limit = hard_limit_budgets * options.budget_seconds;

  if (observer != nullptr) observer->begin();
  while (outcome.stopped_by.empty()) {
    const double seconds = options.cold ? stopwatch.time_cold(primitive)
                                        : stopwatch.time(primitive, outcome.calls_per_sample);
    outcome.timed_seconds += seconds;
    outcome.samples.push_back(seconds / static_cast<double>(outcome.calls_per_sample));

    const bool enough =
        outcome.timed_seconds >= minimum && outcome.samples.size() >= options.minimum_samples;
    if (enough && converged(outcome.samples, options)) {
      outcome.stopped_by = stopped_by_convergence;
    } else if ((enough && is_behind(outcome.samples, options, options.outclassed_by)) ||
               (outcome.samples.size() >= minimum_budget_samples &&
                is_behind(outcome.samples, options, options.hopeless_by))) {
      outcome.stopped_by = stopped_by_rival;
    } else if ((outcome.timed_seconds >= options.budget_seconds &&
                outcome.samples.size() >= minimum_budget_samples) ||
               outcome.timed_seconds >= hard_limit || wall.seconds() >= hard_limit) {
      outcome.stopped_by = stopped_by_budget;
    }
  }

  Conditions conditions;
  if (observer != nullptr) conditions = observer->end();

  if (!(median(outcome.samples) > 0)) throw std::runtime_error("the clock did not advance");
  outcome.workspace_bytes = primitive.workspace_bytes();
  outcome.facts = primitive.facts();
  outcome.facts.merge(conditions.facts);
  outcome.disturbances = std::move(conditions.disturbances);
  outcome.status = Status::ok;
  return outcome;
}

}  // namespace benanza::harness
