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
/// A buffer of so many times the L2 cache does not live in it.
constexpr std::int64_t least_l2_multiple = 4;

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

/// Moves bytes within the device: copies them, or only writes.
class Traffic : public CudaPrimitive {
 public:
  enum class Kind { copy, fill };

  Traffic(CudaContext& context, std::int64_t bytes, Kind kind)
      : CudaPrimitive(context, {tensor_format(Precision::int8, {bytes}, Layout::plain)},
                      tensor_format(Precision::int8, {bytes}, Layout::plain), 0),
        bytes_(bytes),
        kind_(kind) {}

  void run() override {
    const auto size = static_cast<std::size_t>(bytes_);
    if (kind_ == Kind::fill) {
      check(cudaMemsetAsync(output(), 0, size, stream()), "cudaMemsetAsync");
      return;
    }
    check(cudaMemcpyAsync(output(), input(0), size, cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }
  double moved_bytes() const { return static_cast<double>(bytes_) * (kind_ == Kind::copy ? 2 : 1); }

 private:
  std::int64_t bytes_;
  Kind kind_;
};

/// Bytes per second, read and written ones together: the best of copies and fills of several sizes,
/// all of them well past the L2 cache. The largest is not always the fastest: 3.0 TB/s at 256 MiB
/// and 2.4 TB/s at 1 GiB on an H100.
double moving_bandwidth(CudaContext& context) {
  double best = 0;
  for (const std::int64_t wanted : {std::int64_t{1} << 28, std::int64_t{1} << 29, largest_copy}) {
    const std::int64_t bytes = std::min(wanted, free_device_bytes() / 4);
    if (bytes < least_l2_multiple * context.l2_bytes()) continue;
    for (const auto kind : {Traffic::Kind::copy, Traffic::Kind::fill}) {
      Traffic traffic(context, bytes, kind);
      traffic.clear_inputs();
      for (int sample = 0; sample < copy_samples; ++sample) {
        const double seconds = context.stopwatch().time(traffic, calls);
        best = std::max(best, traffic.moved_bytes() * static_cast<double>(calls) / seconds);
      }
    }
  }
  return best;
}

/// Bytes per second of products of a matrix and a vector, which read the matrix and write nothing
/// to speak of.
double reading_bandwidth(CudaContext& context, harness::Backend& products) {
  constexpr std::int64_t rows = 8192;
  constexpr std::int64_t columns = 16384;
  const Gemm product{
      .m = 1, .n = rows, .k = columns, .transpose_b = true, .batch_a = {}, .batch_b = {}};
  const Problem problem{.shape = product, .epilogue = {}};
  const auto flops = work(problem, Precision::fp32).flops;
  try {
    const double rate = best_rate(context, products, problem, Precision::fp32);
    return rate / flops * static_cast<double>(work(problem, Precision::fp32).bytes());
  } catch (const harness::Unsupported&) {
    return 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace

Peaks measure_peaks(CudaContext& context, harness::Backend& products) {
  Peaks peaks;
  for (const Precision precision : all_precisions) {
    if (const double rate = peak(context, products, precision); rate > 0) {
      peaks.flops_per_second[precision] = rate;
    }
  }
  peaks.bytes_per_second =
      std::max(moving_bandwidth(context), reading_bandwidth(context, products));
  peaks.l2_bytes = context.l2_bytes();
  return peaks;
}

}  // namespace benanza::nvidia
