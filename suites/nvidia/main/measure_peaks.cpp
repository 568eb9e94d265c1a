#include "suites/nvidia/main/measure_peaks.h"

#include <algorithm>
#include <new>

#include "suites/cublas/solvers.h"

namespace benanza {
namespace {

using cublas::Library;

constexpr std::int64_t calls = 2;
constexpr int samples = 2;
/// Of the heuristic list, per size.
constexpr std::size_t algorithms_tried = 2;

double best_rate(Library& library, const Problem& problem, Precision precision) {
  const double flops = work(problem, precision).flops * static_cast<double>(calls);
  double best = 0;
  auto names = cublas::lt.algorithms(library, problem, precision);
  names.resize(std::min(names.size(), algorithms_tried));
  for (const Algorithm& name : names) {
    const auto product = cublas::lt.create(library, {problem, precision, Layout::plain, name});
    product->clear_inputs();
    for (int sample = 0; sample < samples; ++sample) {
      best = std::max(best, flops / library.cuda().stopwatch().time(*product, calls));
    }
  }
  return best;
}

/// 0 where nothing could be measured.
double peak(Library& library, Precision precision) {
  double best = 0;
  for (const std::int64_t size : {4096, 8192}) {
    const Gemm square{
        .m = size, .n = size, .k = size, .transpose_b = true, .batch_a = {}, .batch_b = {}};
    try {
      best = std::max(best, best_rate(library, {.shape = square, .epilogue = {}}, precision));
    } catch (const Unsupported&) {
      // The device lacks the precision.
    } catch (const std::bad_alloc&) {
      // A smaller product has to do.
    } catch (const EngineLost&) {
      throw;
    } catch (const std::runtime_error&) {
      // A call that fails here fails in a row of its own, too, where its reason is kept.
    }
  }
  return best;
}

}  // namespace

Peaks measure_peaks(CudaContext& context) {
  Library library(context);
  Peaks peaks;
  for (const Precision precision : all_precisions) {
    if (const double rate = peak(library, precision); rate > 0) {
      peaks.flops_per_second[precision] = rate;
    }
  }
  peaks.bytes_per_second = measure_bandwidth(context);
  peaks.l2_bytes = context.l2_bytes();
  return peaks;
}

}  // namespace benanza
