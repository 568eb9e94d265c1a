#include "suites/nvidia/main/measure_peaks.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::nvidia {
namespace {

constexpr std::int64_t calls = 2;
constexpr int samples = 2;
/// The library's first choices, per size.
constexpr std::size_t algorithms_tried = 3;
constexpr std::int64_t largest_copy = std::int64_t{1} << 30;
constexpr int copy_samples = 3;

double best_rate(CudaContext& context, harness::Backend& products, const Problem& problem,
                 Precision precision) {
  const double flops = work(problem, precision).flops * static_cast<double>(calls);
  double best = 0;
  auto names = products.algorithms(problem, precision, Layout::plain, harness::AlgorithmSet::all);
  names.resize(std::min(names.size(), algorithms_tried));
  for (const harness::Algorithm& name : names) {
    const auto product = products.create({problem, precision, Layout::plain, name});
    dynamic_cast<CudaPrimitive&>(*product).clear_inputs();
    for (int sample = 0; sample < samples; ++sample) {
      best = std::max(best, flops / context.stopwatch().time(*product, calls));
    }
  }
  return best;
}

/// 0 where nothing could be measured.
double peak(CudaContext& context, harness::Backend& products, Precision precision) {
  double best = 0;
  for (const std::int64_t size : {4096, 8192}) {
    const Gemm square{
        .m = size, .n = size, .k = size, .transpose_b = true, .batch_a = {}, .batch_b = {}};
    try {
      best = std::max(best,
                      best_rate(context, products, {.shape = square, .epilogue = {}}, precision));
    } catch (const harness::Unsupported&) {
      // The device lacks the precision.
    } catch (const std::bad_alloc&) {
      // A smaller product has to do.
    } catch (const harness::EngineLost&) {
      throw;
    } catch (const std::runtime_error&) {
      // A call that fails here fails in a row of its own, too, where its reason is kept.
    }
  }
  return best;
}

class DeviceCopy : public CudaPrimitive {
 public:
  DeviceCopy(CudaContext& context, std::int64_t bytes)
      : CudaPrimitive(context, {tensor_format(Precision::int8, {bytes}, Layout::plain)},
                      tensor_format(Precision::int8, {bytes}, Layout::plain), 0),
        bytes_(bytes) {}

  void run() override {
    check(cudaMemcpyAsync(output(), input(0), static_cast<std::size_t>(bytes_),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

 private:
  std::int64_t bytes_;
};

/// Bytes per second of a large copy within the device, read and written bytes together.
double bandwidth(CudaContext& context) {
  const std::int64_t bytes = std::min(largest_copy, free_device_bytes() / 4);
  DeviceCopy copy(context, bytes);
  copy.clear_inputs();
  double best = 0;
  for (int sample = 0; sample < copy_samples; ++sample) {
    const double seconds = context.stopwatch().time(copy, calls);
    best = std::max(best, 2.0 * static_cast<double>(bytes * calls) / seconds);
  }
  return best;
}

}  // namespace

Peaks measure_peaks(CudaContext& context, harness::Backend& products) {
  Peaks peaks;
  for (const Precision precision : all_precisions) {
    if (const double rate = peak(context, products, precision); rate > 0) {
      peaks.flops_per_second[precision] = rate;
    }
  }
  peaks.bytes_per_second = bandwidth(context);
  peaks.l2_bytes = context.l2_bytes();
  return peaks;
}

}  // namespace benanza::nvidia
