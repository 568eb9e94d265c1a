#include "suites/plan/tune.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/problem/name.h"
#include "core/statistics/summary.h"
#include "suites/plan/step_times.h"

namespace benanza::plan {
namespace {

using Clock = std::chrono::steady_clock;

/// The step by its alternative, and the other way round.
void exchange(PlanStep& step, std::size_t alternative) {
  PlanCall& other = step.alternatives.at(alternative);
  std::swap(step.call, other.call);
  std::swap(step.seconds, other.seconds);
}

/// All steps that have calls of the layout, by the fastest of these.
Plan in_layout(Plan plan, Layout layout) {
  const auto is_wanted = [&](const std::string& call) {
    return parse_variant_name(call).layout == layout;
  };
  for (PlanStep& step : plan.steps) {
    if (is_wanted(step.call)) continue;
    const auto found = std::ranges::find_if(
        step.alternatives, [&](const PlanCall& other) { return is_wanted(other.call); });
    if (found == step.alternatives.end()) continue;
    exchange(step, static_cast<std::size_t>(found - step.alternatives.begin()));
  }
  return plan;
}

class Tuning {
 public:
  Tuning(const Plan& plan, std::span<harness::Backend* const> backends, const Values* values,
         double seconds, harness::Allocator* memory)
      : backends_(backends),
        values_(values),
        memory_(memory),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        best_(model_of(plan)) {
    best_->run();
    found_.before = found_.after = median(stopwatch().time_samples(*best_, 1, runs));
  }
  ~Tuning() { stopwatch().forget(*best_); }
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  Tuned run() {
    for (const Layout layout : {Layout::nchw, Layout::nhwc, Layout::any}) {
      Plan other = in_layout(best_->plan(), layout);
      if (other != best_->plan()) attempt(std::move(other));
    }
    bool gained = true;
    while (gained && !is_over()) gained = exchange_steps();
    found_.plan = best_->plan();
    return std::move(found_);
  }

 private:
  static constexpr std::size_t runs = 9;

  bool is_over() const { return Clock::now() >= end_; }
  harness::Stopwatch& stopwatch() const { return backends_.front()->stopwatch(); }
  std::unique_ptr<PlannedModel> model_of(const Plan& plan) const {
    return std::make_unique<PlannedModel>(plan, backends_, values_, Scratch::shared, memory_);
  }

  /// Whether some exchange was kept.
  bool exchange_steps() {
    const std::vector<StepTime> times = step_times(*best_);
    const auto lost = [&](std::size_t step) {
      return times[step].conversions + times[step].in_plan - best_->plan().steps[step].seconds;
    };
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), lost);
    bool gained = false;
    for (const std::size_t step : order) {
      // Those that are slower even by themselves do not help.
      const double now = times[step].conversions + times[step].in_plan;
      for (std::size_t other = 0; other < best_->plan().steps[step].alternatives.size(); ++other) {
        if (is_over()) return gained;
        if (best_->plan().steps[step].alternatives[other].seconds >= now) break;
        Plan plan = best_->plan();
        exchange(plan.steps[step], other);
        gained = attempt(std::move(plan)) || gained;
      }
    }
    return gained;
  }

  /// Keeps the plan if it is faster.
  bool attempt(Plan plan) {
    if (is_over()) return false;
    ++found_.tried;
    plan.conversions.clear();
    std::unique_ptr<PlannedModel> other;
    try {
      other = model_of(plan);
    } catch (const std::exception&) {
      return false;
    }
    other->run();
    std::vector<double> ratios;
    std::vector<double> seconds;
    for (std::size_t run = 0; run < runs; ++run) {
      const double old = stopwatch().time(*best_, 1);
      seconds.push_back(stopwatch().time(*other, 1));
      ratios.push_back(seconds.back() / old);
    }
    constexpr double gain = 0.995;
    const auto faster = std::ranges::count_if(ratios, [](double ratio) { return ratio < 1; });
    const bool is_kept = median(ratios) < gain && faster * 4 >= std::ssize(ratios) * 3;
    if (is_kept) {
      std::swap(best_, other);
      found_.after = median(seconds);
      ++found_.kept;
    }
    stopwatch().forget(*other);
    return is_kept;
  }

  std::span<harness::Backend* const> backends_;
  const Values* values_;
  harness::Allocator* memory_;
  Clock::time_point end_;
  std::unique_ptr<PlannedModel> best_;
  Tuned found_;
};

}  // namespace

Tuned tune(const Plan& plan, std::span<harness::Backend* const> backends, const Values* values,
           double seconds, harness::Allocator* memory) {
  Tuned tuned = Tuning(plan, backends, values, seconds, memory).run();
  tuned.plan.seconds = conversion_seconds(tuned.plan);
  for (const PlanStep& step : tuned.plan.steps) tuned.plan.seconds += step.seconds;
  return tuned;
}

}  // namespace benanza::plan
