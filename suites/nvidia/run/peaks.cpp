#include "suites/nvidia/run/peaks.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/error.h"

namespace benanza::nvidia {
namespace {

std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace

double least_seconds(const Peaks& peaks, const Work& work, Precision precision,
                     double arithmetic_saving) {
  double seconds = 0;
  const Rates& most = peaks.possible;
  if (const auto peak = most.flops.find(precision); peak != most.flops.end()) {
    seconds = work.flops / (peak->second * arithmetic_saving * peak_slack);
  }
  if (most.bytes > 0 && work.bytes() > peaks.l2_bytes) {
    const auto moved = static_cast<double>(work.bytes() - peaks.l2_bytes);
    seconds = std::max(seconds, moved / (most.bytes * peak_slack));
  }
  return seconds;
}

namespace {

constexpr std::string_view reported_prefix = "peak_";
constexpr std::string_view possible_prefix = "possible_";

std::string flops_name(std::string_view prefix, Precision precision) {
  return std::string(prefix) + std::string(to_string(precision)) + "_flops_per_second";
}

std::string bytes_name(std::string_view prefix) { return std::string(prefix) + "bytes_per_second"; }

Rates rates_of(const PeakValues& values, std::string_view prefix) {
  Rates rates;
  for (const Precision precision : all_precisions) {
    if (const auto found = values.find(flops_name(prefix, precision)); found != values.end()) {
      rates.flops[precision] = found->second;
    }
  }
  if (const auto found = values.find(bytes_name(prefix)); found != values.end()) {
    rates.bytes = found->second;
  }
  return rates;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> context_entries(const Peaks& peaks) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto add = [&](std::string_view prefix, const Rates& rates) {
    for (const auto& [precision, flops] : rates.flops) {
      entries.emplace_back(flops_name(prefix, precision), scientific(flops));
    }
    if (rates.bytes > 0) entries.emplace_back(bytes_name(prefix), scientific(rates.bytes));
  };
  add(reported_prefix, peaks.reported);
  add(possible_prefix, peaks.possible);
  return entries;
}

Peaks peaks_of(const PeakValues& values, std::int64_t l2_bytes) {
  Peaks peaks{.reported = rates_of(values, reported_prefix),
              .possible = rates_of(values, possible_prefix),
              .l2_bytes = l2_bytes};
  // Files from before there were two have the one measured on zeros.
  if (peaks.possible == Rates{}) peaks.possible = peaks.reported;
  return peaks;
}

Peaks peaks_in(const Origin& file, const System& system, std::int64_t l2_bytes) {
  const auto device_of = [](const System& of) {
    const auto found = of.find("device");
    return found == of.end() ? std::string("an unknown device") : found->second;
  };
  if (device_of(file.system) != device_of(system)) {
    throw Error("--peaks=" + file.file.string() + ": of " + device_of(file.system) + ", this is " +
                device_of(system));
  }
  Peaks peaks = peaks_of(file.peaks, l2_bytes);
  if (peaks.reported == Rates{}) {
    throw Error("--peaks=" + file.file.string() + ": says no peaks; measure them");
  }
  return peaks;
}

}  // namespace benanza::nvidia
