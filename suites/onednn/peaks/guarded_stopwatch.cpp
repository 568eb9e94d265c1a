#include "suites/onednn/peaks/guarded_stopwatch.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "suites/onednn/ways/planned_call.h"

namespace benanza::onednn {
namespace {

/// Limits how often correct peaks are measured again because of wrong rows.
constexpr int most_measured_again = 5;

/// Programs beside this one, and other virtual machines, take bandwidth from the measurement of the
/// peaks, but not from every call: on a busy machine a call had 1.5 times as much.
constexpr double shared_bandwidth = 2;

void raise(harness::Rates& rates, const LeastWork& least, std::int64_t cache_bytes,
           double seconds) {
  if (least.arithmetic_saving == 1 && least.work.flops > 0) {
    if (const auto known = rates.flops.find(least.precision); known != rates.flops.end()) {
      known->second = std::max(known->second, least.work.flops / seconds);
    }
  }
  const auto beyond = static_cast<double>(least.work.bytes() - cache_bytes);
  if (rates.bytes > 0) rates.bytes = std::max(rates.bytes, beyond / seconds);
}

void raise(harness::Rates& rates, const harness::Rates& others) {
  for (const auto& [precision, flops] : others.flops) {
    rates.flops[precision] = std::max(rates.flops[precision], flops);
  }
  rates.bytes = std::max(rates.bytes, others.bytes);
}

}  // namespace

double GuardedStopwatch::time(harness::Primitive& primitive, std::int64_t calls) {
  const double seconds = HostStopwatch::time(primitive, calls);
  judge(primitive, seconds / static_cast<double>(calls));
  return seconds;
}

void GuardedStopwatch::judge(const harness::Primitive& primitive, double seconds_per_call) {
  const auto* const judged = dynamic_cast<const JudgedCall*>(&primitive);
  if (!peaks_ || judged == nullptr) return;
  const LeastWork& least = judged->least_work();
  const auto least_by = [&](const harness::Peaks& peaks) {
    return least_seconds(peaks, least.work, least.precision, least.arithmetic_saving);
  };
  const auto possible = [&] { return least_by(*peaks_); };
  if (seconds_per_call < possible() && measured_again_ < most_measured_again) {
    ++measured_again_;
    const harness::Peaks again = measure_();
    raise(peaks_->reported, again.reported);
    raise(peaks_->possible, again.possible);
  }
  harness::Peaks alone = *peaks_;
  alone.possible.bytes *= shared_bandwidth;
  if (seconds_per_call < least_by(alone)) {
    throw std::runtime_error(
        "faster than the machine's peak: " + std::to_string(seconds_per_call * 1e6) +
        " us per call; at peak it takes " + std::to_string(possible() * 1e6) + " us");
  }
  raise(peaks_->reported, least, peaks_->cache_bytes, seconds_per_call);
  raise(peaks_->possible, peaks_->reported);
}

}  // namespace benanza::onednn
