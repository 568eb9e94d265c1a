#include "suites/harness/peaks/peaks.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/base/error.h"
#include "core/results_file/read_rows.h"

namespace benanza::harness {
namespace {

std::string rate_text(double value) {
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
  if (most.bytes > 0 && work.bytes() > peaks.cache_bytes) {
    const auto moved = static_cast<double>(work.bytes() - peaks.cache_bytes);
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
      entries.emplace_back(flops_name(prefix, precision), rate_text(flops));
    }
    if (rates.bytes > 0) entries.emplace_back(bytes_name(prefix), rate_text(rates.bytes));
  };
  add(reported_prefix, peaks.reported);
  add(possible_prefix, peaks.possible);
  return entries;
}

Peaks peaks_of(const PeakValues& values, std::int64_t cache_bytes) {
  Peaks peaks{.reported = rates_of(values, reported_prefix),
              .possible = rates_of(values, possible_prefix),
              .cache_bytes = cache_bytes};
  // Older files have only the peaks measured on zeros, named as reported ones.
  if (peaks.possible == Rates{}) peaks.possible = peaks.reported;
  return peaks;
}

Peaks peaks_in(const Origin& file, const System& system, const std::vector<std::string>& identity,
               std::int64_t cache_bytes) {
  for (const std::string& field : identity) {
    const auto value_of = [&](const System& of) {
      const auto found = of.find(field);
      if (found == of.end()) return "an unknown " + field;
      return field == identity.front() ? found->second : found->second + " " + field;
    };
    if (value_of(file.system) != value_of(system)) {
      throw Error("--peaks=" + file.file.string() + ": of " + value_of(file.system) + ", this is " +
                  value_of(system));
    }
  }
  Peaks peaks = peaks_of(file.peaks, cache_bytes);
  if (peaks.reported == Rates{}) {
    throw Error("--peaks=" + file.file.string() + ": says no peaks; measure them");
  }
  return peaks;
}

Peaks read_peaks(const std::string& path, const System& system,
                 const std::vector<std::string>& identity, std::int64_t cache_bytes) {
  Origin found;
  read_rows(path, {.begin = [&](const Origin& origin) { found = origin; }, .add = [](Row&&) {}},
            "name another with --peaks, or measure them");
  return peaks_in(found, system, identity, cache_bytes);
}

void BestRate::take(Values values, double rate) {
  if (values == Values::random) reported = std::max(reported, rate);
  possible = std::max(possible, rate);
}

void BestRate::take(const BestRate& other) {
  reported = std::max(reported, other.reported);
  possible = std::max(possible, other.possible);
}

BestRate best_of_ways(Backend& library, const Variant& prototype, const WaySearch& search) {
  BestRate best;
  std::size_t tried = 0;
  for (const Way& way : library.ways(prototype, AlgorithmSet::all)) {
    if (!search.counts(way.traits)) continue;
    if (tried++ == ways_tried || search.is_over()) break;
    const std::shared_ptr<Primitive> primitive = make_alone(way, library.allocator());
    best.take(search.rate(*primitive));
  }
  return best;
}

void search_as_far_as_possible(const std::function<void()>& search) {
  try {
    search();
  } catch (const Unsupported&) {
    // The device or the library lacks the precision.
  } catch (const std::bad_alloc&) {
    // The smaller problems have to suffice.
  } catch (const EngineLost&) {
    throw;
  } catch (const std::runtime_error&) {
    // Given as the reason of its own row.
  }
}

Peaks peaks_by_search(const std::function<BestRate(Precision)>& flops,
                      const std::function<BestRate()>& bytes, std::int64_t cache_bytes) {
  Peaks peaks{.cache_bytes = cache_bytes};
  for (const Precision precision : all_precisions) {
    const BestRate best = flops(precision);
    if (best.reported > 0) peaks.reported.flops[precision] = best.reported;
    if (best.possible > 0) peaks.possible.flops[precision] = best.possible;
  }
  const BestRate best = bytes();
  peaks.reported.bytes = best.reported;
  peaks.possible.bytes = best.possible;
  return peaks;
}

}  // namespace benanza::harness
