#include "suites/harness/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "core/statistics/summary.h"
#include "suites/harness/deadline.h"

namespace benanza::harness {
namespace {

constexpr std::int64_t maximum_calls = std::int64_t{1} << 20;
constexpr std::size_t minimum_budget_samples = 3;
constexpr double hard_limit_budgets = 10;
/// How long to wait for samples without interruption.
constexpr double waiting_budgets = 3;

/// Wall clock of the loop itself, cache flushes included.
class WallClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// True if even the fastest sample takes more than `factor` times as long as the rival's median.
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

/// All samples of a variant, in the order taken.
class Samples {
 public:
  void add(double seconds, bool interrupted) {
    all_.push_back(seconds);
    interrupted_ += interrupted;
    if (!interrupted) alone_.push_back(seconds);
  }
  /// Those without interruption.
  const std::vector<double>& alone() const { return alone_; }
  std::size_t count() const { return all_.size(); }
  /// Those that count; all if there are too few others.
  bool all_count() const { return alone_.size() < std::min(minimum_budget_samples, all_.size()); }
  const std::vector<double>& counting() const { return all_count() ? all_ : alone_; }
  /// "other processes interrupted 3 of 4 samples"
  std::string disturbance() const {
    return "other processes interrupted " + std::to_string(interrupted_) + " of " +
           std::to_string(all_.size()) + " samples";
  }

 private:
  std::vector<double> all_;
  std::vector<double> alone_;
  std::size_t interrupted_ = 0;
};

/// Samples are long compared with what surrounds them. A small budget is spent on many short
/// samples rather than on a few long ones, and not on warming up.
MeasureOptions fitted(MeasureOptions options, const Stopwatch& stopwatch) {
  constexpr double samples_of_a_budget = 20;
  constexpr double warm_up_share = 0.2;
  constexpr double sample_per_overhead = 16;
  const double share = options.budget_seconds / samples_of_a_budget;
  options.sample_seconds =
      std::min(std::max(options.sample_seconds, sample_per_overhead * stopwatch.overhead_seconds()),
               std::max(share, stopwatch.short_sample_seconds()));
  options.warmup_seconds = std::min({options.warmup_seconds, warm_up_share * options.budget_seconds,
                                     stopwatch.longest_warm_up_seconds()});
  return options;
}

/// For so many samples: a call may last as long as it may, and samples may last far longer than
/// they are meant to. In seconds.
unsigned limit_of(std::size_t samples, const MeasureOptions& options) {
  constexpr double far_longer = 20;
  return Deadline::of_a_call +
         static_cast<unsigned>(far_longer * options.sample_seconds * static_cast<double>(samples));
}

/// How many samples to take before the next decision, at most `at_once`: no more than are needed
/// until the minimum, and three first if a rival may end it there.
std::size_t next_samples(const Outcome& outcome, std::size_t count, const MeasureOptions& options,
                         std::size_t at_once) {
  // Nothing is known of a call that is as long as a sample.
  if (count == 0 && outcome.calls_per_sample == 1) return 1;
  if (options.rival_seconds && count < minimum_budget_samples) {
    return std::min(at_once, minimum_budget_samples - count);
  }
  const double sample_seconds =
      count == 0 ? options.sample_seconds : outcome.timed_seconds / static_cast<double>(count);
  const auto samples_until = [&](double seconds) {
    return std::clamp(std::ceil((seconds - outcome.timed_seconds) / sample_seconds), 1.0,
                      static_cast<double>(at_once));
  };
  const auto until_minimum = static_cast<std::size_t>(samples_until(options.minimum_seconds));
  const std::size_t until_enough =
      count < options.minimum_samples ? options.minimum_samples - count : 1;
  const auto until_budget = static_cast<std::size_t>(samples_until(options.budget_seconds));
  return std::min({at_once, std::max(until_minimum, until_enough), until_budget});
}

/// Takes samples of so many calls each; a cold one is one call.
std::vector<double> samples_of(Primitive& primitive, Stopwatch& stopwatch, std::int64_t calls,
                               std::size_t samples, const MeasureOptions& options) {
  const Deadline deadline(limit_of(samples, options));
  if (options.cold) return {stopwatch.time_cold(primitive)};
  return stopwatch.time_samples(primitive, calls, samples);
}

/// Why sampling stops after these samples, of `timed_seconds` and taken within `wall_seconds`;
/// empty if it goes on.
std::string_view reason_to_stop(const Samples& samples, double timed_seconds, double wall_seconds,
                                const MeasureOptions& options) {
  const std::vector<double>& alone = samples.alone();
  const bool enough =
      timed_seconds >= options.minimum_seconds && alone.size() >= options.minimum_samples;
  if (enough && converged(alone, options)) return stopped_by_convergence;
  if ((enough && is_behind(alone, options, options.outclassed_by)) ||
      (alone.size() >= minimum_budget_samples && is_behind(alone, options, options.hopeless_by))) {
    return stopped_by_rival;
  }
  const double budget = options.budget_seconds;
  const double hard_limit = hard_limit_budgets * budget;
  const bool is_spent =
      (timed_seconds >= budget && alone.size() >= minimum_budget_samples) ||
      (timed_seconds >= waiting_budgets * budget && samples.count() >= minimum_budget_samples) ||
      timed_seconds >= hard_limit || wall_seconds >= hard_limit;
  return is_spent ? stopped_by_budget : std::string_view();
}

}  // namespace

std::int64_t warm_up(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options) {
  constexpr double long_enough = 0.75;
  // A batch of this share of a sample predicts the time of a call.
  constexpr double telling = 0.25;
  // What such a batch should last, with a margin for first calls that are slow.
  constexpr double predicting = 0.4;
  // Single calls of short kernels are poor predictors: the number of calls grows at most by this
  // factor in one step.
  constexpr double step = 1024;
  const auto time = [&](std::int64_t calls) {
    const Deadline deadline(limit_of(1, options));
    return stopwatch.time(primitive, calls);
  };
  double total = time(1);
  if (total > options.budget_seconds) return 1;
  std::int64_t calls = 1;
  double last = time(calls);
  total += last;
  const auto is_short = [&] { return last < long_enough * options.sample_seconds; };
  const auto is_telling = [&] { return last >= telling * options.sample_seconds; };
  const auto is_hopeless = [&] {
    return is_telling() &&
           is_behind({last / static_cast<double>(calls)}, options, options.hopeless_by);
  };
  while ((is_short() || total < options.warmup_seconds) && !is_hopeless() &&
         calls < maximum_calls) {
    if (is_short()) {
      const double goal = is_telling() ? 1 : predicting;
      const double growth = goal * options.sample_seconds / last;
      // NaN and infinity (if the clock stood still) are limited to `step`, too.
      const double wanted = std::ceil(static_cast<double>(calls) * (growth < step ? growth : step));
      const bool is_enough = is_telling() && total >= options.warmup_seconds;
      calls = std::clamp(static_cast<std::int64_t>(wanted), calls + 1, maximum_calls);
      if (is_enough) break;
    }
    last = time(calls);
    total += last;
  }
  return options.cold ? 1 : stopwatch.whole_calls(primitive, calls);
}

Outcome measure(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& wanted,
                Observer* observer) {
  const WallClock wall;
  MeasureOptions options = fitted(wanted, stopwatch);
  // Rests take longer than what they would pay back.
  if (options.rest_seconds > 0) options.payback = 0;

  Outcome outcome;
  outcome.calls_per_sample = warm_up(primitive, stopwatch, options);
  outcome.phases.warm_up = wall.seconds();
  // What surrounds samples is not paid back: each sample for it would need others.
  const double untimed_seconds = options.preparation_seconds + outcome.phases.warm_up;
  options.minimum_seconds = std::min(
      options.budget_seconds, std::max(options.minimum_seconds, options.payback * untimed_seconds));

  const std::size_t at_once = options.rest_seconds > 0 ? 1 : stopwatch.samples_at_once();
  double rested_seconds = 0;
  const auto rest = [&] {
    if (options.rest_seconds <= 0) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(options.rest_seconds));
    rested_seconds += options.rest_seconds;
  };

  Samples samples;
  if (observer != nullptr) observer->begin();
  while (outcome.stopped_by.empty()) {
    rest();
    const std::vector<double> taken = samples_of(
        primitive, stopwatch, outcome.calls_per_sample,
        options.cold ? 1 : next_samples(outcome, samples.count(), options, at_once), options);
    for (const double seconds : taken) {
      outcome.timed_seconds += seconds;
      samples.add(seconds / static_cast<double>(outcome.calls_per_sample),
                  stopwatch.was_interrupted());
    }
    outcome.stopped_by =
        reason_to_stop(samples, outcome.timed_seconds, wall.seconds() - rested_seconds, options);
  }

  Conditions conditions;
  if (observer != nullptr) conditions = observer->end();
  outcome.phases.between = wall.seconds() - outcome.phases.warm_up - outcome.timed_seconds;

  outcome.samples = samples.counting();
  if (!(median(outcome.samples) > 0)) throw std::runtime_error("the clock did not advance");
  outcome.workspace_bytes = primitive.workspace_bytes();
  outcome.facts = primitive.facts();
  outcome.facts.merge(conditions.facts);
  if (options.rest_seconds > 0) outcome.facts["rest_seconds"] = options.rest_seconds;
  outcome.disturbances = std::move(conditions.disturbances);
  outcome.company = conditions.company;
  if (samples.all_count()) {
    outcome.disturbances.push_back(samples.disturbance());
    outcome.company = true;
  }
  outcome.status = Status::ok;
  return outcome;
}

}  // namespace benanza::harness
