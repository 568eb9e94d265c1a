#include "suites/onednn/peaks/measure_peaks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/problem/least_work.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/onednn/peaks/traffic.h"

namespace benanza::onednn {
namespace {

/// Longest call, and time for one precision, in seconds.
constexpr double longest_call = 0.025;
constexpr double budget = 0.25;
constexpr int samples = 4;
/// The library's first choices, per problem.
constexpr std::size_t algorithms_tried = 3;
/// Buffers of so many times the caches do not live in them.
constexpr std::int64_t cache_multiple = 12;
constexpr std::int64_t least_cache_multiple = 2;
constexpr std::int64_t least_buffer = std::int64_t{1} << 28;
constexpr int passes = 5;

enum class Values { zeros, random };

/// On random values, and the best there was on any.
struct Best {
  double reported = 0;
  double possible = 0;

  void take(Values values, double rate) {
    if (values == Values::random) reported = std::max(reported, rate);
    possible = std::max(possible, rate);
  }
  void take(const Best& other) {
    reported = std::max(reported, other.reported);
    possible = std::max(possible, other.possible);
  }
};

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
                 Values values) {
  std::minstd_rand random(2020);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    std::vector<float> numbers(static_cast<std::size_t>(element_count(operands[index].dims)));
    if (values == Values::random) {
      for (float& number : numbers) {
        number = uniform(random);
        if (precision == Precision::int8) number = std::round(127 * number);
      }
    }
    primitive.upload(index, numbers);
  }
}

/// FLOP per second of one way. `seconds` becomes the time of a call.
Best rate_of(harness::Backend& library, const harness::Variant& variant, double& seconds) {
  harness::HostStopwatch stopwatch;
  const auto primitive = library.create(variant);
  const double flops = direct_flops(variant.problem);
  Best best;
  for (const Values values : {Values::random, Values::zeros}) {
    fill_inputs(*primitive, variant.problem, variant.precision, values);
    for (int sample = 0; sample <= samples; ++sample) {
      seconds = stopwatch.time(*primitive, 1);
      best.take(values, flops / seconds);
      if (seconds > longest_call) return best;
    }
  }
  return best;
}

std::vector<harness::Variant> ways(harness::Backend& library, const Problem& problem,
                                   Precision precision) {
  const std::vector<Layout> layouts = library.layouts(problem);
  harness::Variant variant{problem, precision, layouts.back(), {}};
  std::vector<harness::Variant> all;
  for (harness::Algorithm& name :
       library.algorithms(problem, precision, variant.layout, harness::AlgorithmSet::all)) {
    if (harness::transforms(name) || name.find("ref") != harness::Algorithm::npos) continue;
    variant.algorithm = std::move(name);
    all.push_back(variant);
  }
  return all;
}

/// The best of the ways for one problem, and how long a call of the last one took.
Best peak_of(harness::Backend& library, const std::string& key, Precision precision,
             const Deadline& deadline, double& seconds) {
  Best best;
  std::size_t tried = 0;
  for (const harness::Variant& variant : ways(library, parse(key), precision)) {
    if (tried++ == algorithms_tried || deadline.is_over()) break;
    best.take(rate_of(library, variant, seconds));
  }
  return best;
}

std::string square(std::int64_t size) {
  const std::string number = std::to_string(size);
  return "gemm/m" + number + "_n" + number + "_k" + number + "_nt_w";
}

/// Products of growing size, while a call of the next is short enough, and convolutions likewise.
Best peak(harness::Backend& library, Precision precision) {
  const Deadline deadline(budget);
  Best best;
  const auto grow = [&](const auto& key_of, double growth) {
    for (const std::int64_t size : {128, 256, 512, 1024, 2048, 4096, 8192}) {
      double seconds = longest_call;
      best.take(peak_of(library, key_of(size), precision, deadline, seconds));
      if (seconds * growth > longest_call || deadline.is_over()) return;
    }
  };
  try {
    grow(square, 8);
    grow(
        [](std::int64_t size) {
          const std::string channels = std::to_string(size / 2);
          return "conv/1x" + channels + "x28x28_k" + channels + "x3x3_p0.0.0.0_s1x1_d1x1_g1";
        },
        4);
  } catch (const harness::Unsupported&) {
    // The processor or the library lacks the precision.
  } catch (const std::bad_alloc&) {
    // Smaller ones have to do.
  } catch (const std::runtime_error&) {
    // A call that fails here fails in a row of its own, too, where its reason is kept.
  }
  return best;
}

std::int64_t free_bytes() {
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
}

/// What moves does not depend on the values. 0 where memory is short.
double bandwidth(std::int64_t cache_bytes) {
  const std::int64_t wanted = std::max(least_buffer, cache_multiple * cache_bytes);
  const std::int64_t bytes = std::min(wanted, free_bytes() / 8);
  if (bytes < least_cache_multiple * cache_bytes) return 0;
  double best = 0;
  try {
    Traffic traffic(static_cast<std::size_t>(bytes));
    for (int pass = 0; pass < passes; ++pass) {
      for (const Traffic::Kind kind : Traffic::all_kinds) best = std::max(best, traffic.rate(kind));
    }
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return best;
}

}  // namespace

harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes) {
  harness::Peaks peaks{.cache_bytes = cache_bytes};
  for (const Precision precision : all_precisions) {
    const Best best = peak(library, precision);
    if (best.reported > 0) peaks.reported.flops[precision] = best.reported;
    if (best.possible > 0) peaks.possible.flops[precision] = best.possible;
  }
  peaks.reported.bytes = peaks.possible.bytes = bandwidth(cache_bytes);
  return peaks;
}

}  // namespace benanza::onednn
