#include "suites/onednn/peaks/measure_peaks.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/problem/least_work.h"
#include "suites/onednn/ways/planned_call.h"
#include "suites/onednn/ways/threads.h"

namespace benanza::onednn {
namespace {

constexpr int value = 0x5b;
constexpr int absent = 0x5a;

/// Calls `action(begin, bytes)` for every thread's part; returns whether any call returned true.
template <class Action>
bool in_parts(std::size_t bytes, const Action& action) {
  bool any = false;
#pragma omp parallel reduction(|| : any)
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = bytes / threads * thread;
    any = action(begin, thread + 1 == threads ? bytes - begin : bytes / threads);
  }
  return any;
}

}  // namespace

Traffic::Traffic(std::size_t bytes)
    : bytes_(bytes),
      first_(harness::HostAllocator().allocate(static_cast<std::int64_t>(bytes))),
      second_(harness::HostAllocator().allocate(static_cast<std::int64_t>(bytes))) {
  in_parts(bytes_, [&](std::size_t begin, std::size_t count) {
    std::memset(first_.get() + begin, value, count);
    std::memset(second_.get() + begin, value, count);
    return false;
  });
}

double Traffic::rate(Kind kind) {
  const auto start = std::chrono::steady_clock::now();
  const bool differs = in_parts(bytes_, [&](std::size_t begin, std::size_t count) {
    std::byte* const first = first_.get() + begin;
    std::byte* const second = second_.get() + begin;
    switch (kind) {
      case Kind::read:
        return std::memchr(first, absent, count) != nullptr;
      case Kind::compare:
        return std::memcmp(first, second, count) != 0;
      case Kind::copy:
        std::memcpy(second, first, count);
        return false;
      case Kind::fill:
        std::memset(second, value, count);
        return false;
    }
    return true;
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  // Using the result also prevents the compiler from removing the search.
  if (differs) throw std::logic_error("memory does not hold what was written");
  const double buffers = kind == Kind::compare || kind == Kind::copy ? 2 : 1;
  return buffers * static_cast<double>(bytes_) / time.count();
}

namespace {

/// The longest call and the time per precision and kind of problem, in seconds.
constexpr double longest_call = 0.025;
constexpr double budget = 0.25;
constexpr int samples = 4;
/// Buffers of this many cache sizes do not stay in the caches.
constexpr std::int64_t cache_multiple = 12;
constexpr std::int64_t least_cache_multiple = 2;
constexpr std::int64_t least_buffer = std::int64_t{1} << 28;
constexpr int passes = 5;

using Best = harness::BestRate;

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(seconds))) {}
  bool is_over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

void fill_inputs(harness::Primitive& primitive, const Problem& problem, Precision precision,
                 harness::Values values) {
  std::minstd_rand random(2020);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    std::vector<float> numbers(static_cast<std::size_t>(element_count(operands[index].dims)));
    if (values == harness::Values::random) {
      for (float& number : numbers) {
        number = uniform(random);
        if (precision == Precision::int8) number = std::round(127 * number);
      }
    }
    primitive.upload(index, numbers);
  }
}

/// The FLOP/s of one call. Lowers `seconds` to the shortest.
Best rate_of(harness::Primitive& primitive, const harness::Variant& variant, double& seconds) {
  harness::HostStopwatch stopwatch;
  const double flops = direct_flops(variant.problem);
  const Deadline deadline((samples + 1) * longest_call);
  Best best;
  for (const auto values : {harness::Values::random, harness::Values::zeros}) {
    fill_inputs(primitive, variant.problem, variant.precision, values);
    for (int sample = 0; sample <= samples && (sample == 0 || !deadline.is_over()); ++sample) {
      const double time = stopwatch.time(primitive, 1);
      seconds = std::min(seconds, time);
      best.take(values, flops / time);
    }
  }
  return best;
}

/// The best of the ways for one problem. Lowers `seconds` to the shortest call.
Best peak_of(harness::Backend& library, const std::string& key, Precision precision,
             const Deadline& deadline, double& seconds) {
  const Problem problem = parse(key);
  const harness::Variant variant{problem, precision, library.layouts(problem).back(), {}};
  return best_of_ways(
      library, variant,
      {.counts =
           [](const harness::Traits& traits) {
             return !traits.transforms && !traits.reference && !traits.threads;
           },
       .is_over = [&] { return deadline.is_over(); },
       .rate =
           [&](harness::Primitive& primitive) { return rate_of(primitive, variant, seconds); }});
}

std::string square(std::int64_t size) {
  const std::string number = std::to_string(size);
  return "gemm/m" + number + "_n" + number + "_k" + number + "_nt_w";
}

std::string image(std::int64_t size) {
  const std::string channels = std::to_string(size / 2);
  return "conv/1x" + channels + "x28x28_k" + channels + "x3x3_p0.0.0.0_s1x1_d1x1_g1";
}

/// Measures problems of growing size while the next call, expected to take `growth` times the last
/// one, is short enough.
Best peak_of_growing(harness::Backend& library, std::string (*key_of)(std::int64_t), double growth,
                     Precision precision, const Deadline& deadline) {
  Best best;
  for (const std::int64_t size : {128, 256, 512, 1024, 2048, 4096, 8192}) {
    double seconds = std::numeric_limits<double>::infinity();
    best.take(peak_of(library, key_of(size), precision, deadline, seconds));
    if (!(seconds * growth <= longest_call) || deadline.is_over()) break;
  }
  return best;
}

/// The number of cores that the threads can use; CPUs that share a core count once.
int cores_of(int threads) {
  std::set<std::string> siblings;
  for (const int processor : harness::CacheFlush::of_this_machine().processors) {
    const std::string number = std::to_string(processor);
    std::ifstream file("/sys/devices/system/cpu/cpu" + number + "/topology/thread_siblings_list");
    std::string line;
    siblings.insert(std::getline(file, line) ? line : number);
  }
  return std::min(threads, static_cast<int>(siblings.size()));
}

/// Measures matrix products and convolutions. `possible` also includes one thread's rate times the
/// threads, because other load on the machine disturbs threads that wait for each other most. If
/// all threads seem disturbed in every attempt, `reported` is one thread's rate times the cores:
/// bounds from a lower peak would not hold.
Best peak(harness::Backend& library, Precision precision) {
  constexpr double growth_of_square = 8;
  constexpr double growth_of_image = 4;
  // Clocks are lower if all cores work, but not by this much.
  constexpr double likely_share = 0.6;
  constexpr int chances = 2;
  const int threads = omp_get_max_threads();
  const auto squares = [&](std::optional<int> count, double seconds) {
    const ThreadCount limit(count);
    return peak_of_growing(library, square, growth_of_square, precision, Deadline(seconds));
  };
  Best best;
  harness::search_as_far_as_possible([&] {
    // A deadline each: at int8, without VNNI, convolutions are almost twice as fast as products.
    best.take(peak_of_growing(library, square, growth_of_square, precision, Deadline(budget)));
    best.take(peak_of_growing(library, image, growth_of_image, precision, Deadline(budget)));
    if (threads == 1) return;
    const Best alone = squares(1, budget / 4);
    best.take({.reported = alone.reported, .possible = threads * alone.possible});
    const double likely = cores_of(threads) * alone.reported;
    for (int chance = 0; chance < chances && best.reported < likely_share * likely; ++chance) {
      best.take(squares(std::nullopt, budget / 2));
    }
    if (best.reported < likely_share * likely) best.reported = likely;
  });
  return best;
}

std::int64_t free_bytes() {
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
}

/// Bandwidth does not depend on the values. Returns 0 if memory is short, or if the system does not
/// say how large the caches are: calls that find their data there would seem to beat it.
double bandwidth(std::int64_t cache_bytes) {
  if (cache_bytes == 0) return 0;
  const std::int64_t wanted = std::max(least_buffer, cache_multiple * cache_bytes);
  const std::int64_t bytes = std::min(wanted, free_bytes() / 8);
  if (bytes < least_cache_multiple * cache_bytes) return 0;
  double best = 0;
  try {
    Traffic traffic(static_cast<std::size_t>(bytes));
    const Deadline deadline(2 * budget);
    for (int pass = 0; pass < passes && (pass == 0 || !deadline.is_over()); ++pass) {
      for (const Traffic::Kind kind : Traffic::all_kinds) best = std::max(best, traffic.rate(kind));
    }
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return best;
}

}  // namespace

harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes) {
  const auto flops = [&](Precision precision) { return peak(library, precision); };
  const auto bytes = [&] {
    const double rate = bandwidth(cache_bytes);
    return Best{.reported = rate, .possible = rate};
  };
  return harness::peaks_by_search(flops, bytes, cache_bytes);
}

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
