#include "suites/harness/measure/energy.h"

#include <chrono>

#include "suites/harness/measure/measure.h"

namespace benanza::harness {
namespace {

/// Long enough that the time between samples hardly counts.
constexpr double sample_seconds = 5e-3;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Repeated {
  double seconds = 0;
  double calls = 0;
};

Repeated repeat(Primitive& primitive, Stopwatch& stopwatch, std::int64_t calls, double seconds) {
  Repeated sum;
  while (sum.seconds < seconds) {
    sum.seconds += stopwatch.time(primitive, calls);
    sum.calls += static_cast<double>(calls);
  }
  return sum;
}

}  // namespace

std::optional<Energy> measure_energy(Primitive& primitive, Stopwatch& stopwatch, EnergyMeter& meter,
                                     double seconds) {
  const std::int64_t calls =
      warm_up(primitive, stopwatch, {.budget_seconds = seconds, .sample_seconds = sample_seconds});
  repeat(primitive, stopwatch, calls, seconds / 4);
  const auto joules_before = meter.joules();
  const double begin = wall_seconds();
  const Repeated done = repeat(primitive, stopwatch, calls, seconds);
  const auto joules_after = meter.joules();
  const double window = wall_seconds() - begin;
  if (!joules_before || !joules_after) return std::nullopt;
  const double joules = *joules_after - *joules_before;
  return Energy{.joules_per_call = joules / done.calls,
                .watts = joules / window,
                .window_seconds = window,
                .busy_share = done.seconds / window,
                .relative_error = meter.update_seconds() / window};
}

}  // namespace benanza::harness
