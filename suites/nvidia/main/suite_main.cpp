#include "suites/nvidia/main/suite_main.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "suites/harness/peaks/peaks.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/options.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::nvidia {
namespace {

using Best = harness::BestRate;
using Values = harness::Values;

constexpr Values all_values[] = {Values::zeros, Values::random};
constexpr std::int64_t calls = 2;
constexpr int samples = 2;
constexpr std::int64_t largest_copy = std::int64_t{1} << 30;
constexpr int copy_samples = 3;
/// A buffer of this many times the size of the L2 cache does not stay in it.
constexpr std::int64_t least_l2_multiple = 4;
constexpr std::int64_t least_l2_multiple_read = 8;

Best best_rate(CudaContext& context, harness::Backend& products, const Problem& problem,
               Precision precision) {
  const double flops = work(problem, precision).flops * static_cast<double>(calls);
  const auto rate = [&](harness::Primitive& product) {
    Best best;
    for (const Values values : all_values) {
      dynamic_cast<CudaPrimitive&>(product).fill_inputs(values);
      for (int sample = 0; sample < samples; ++sample) {
        best.take(values, flops / context.stopwatch().time(product, calls));
      }
    }
    return best;
  };
  return best_of_ways(products, {problem, precision, Layout::plain, {}}, {.rate = rate});
}

/// 0 if nothing could be measured.
Best peak(CudaContext& context, harness::Backend& products, Precision precision) {
  Best best;
  for (const std::int64_t size : {4096, 8192}) {
    const Gemm square{
        .m = size, .n = size, .k = size, .transpose_b = true, .batch_a = {}, .batch_b = {}};
    harness::search_as_far_as_possible([&] {
      best.take(best_rate(context, products, {.shape = square, .epilogue = {}}, precision));
    });
  }
  return best;
}

/// Moves bytes within the device: copies them with cudaMemcpyAsync or a kernel, or only reads or
/// writes.
class Traffic : public CudaPrimitive {
 public:
  enum class Kind { copy, copy_kernel, read, fill };

  /// `code` must outlive this object. `bytes`: a multiple of DeviceCode::copied_at_once.
  Traffic(CudaContext& context, harness::Operands& places, DeviceCode& code, std::int64_t bytes,
          Kind kind)
      : CudaPrimitive(context, places,
                      {.inputs = {tensor_format(Precision::int8, {bytes}, Layout::plain)},
                       .results = {tensor_format(Precision::int8, {bytes}, Layout::plain)}}),
        code_(code),
        bytes_(bytes),
        kind_(kind) {}

  /// A fill has no input; it writes a nonzero byte in place of random values.
  void fill(Values values) {
    fill_inputs(values);
    byte_ = values == Values::random ? 0x5b : 0;
  }

  void run() override {
    const auto size = static_cast<std::size_t>(bytes_);
    switch (kind_) {
      case Kind::copy:
        return check(cudaMemcpyAsync(output(), input(0), size, cudaMemcpyDeviceToDevice, stream()),
                     "cudaMemcpyAsync");
      case Kind::copy_kernel:
        return code_.copy(output(), input(0), bytes_, stream());
      case Kind::read:
        return code_.read(output(), input(0), bytes_, stream());
      case Kind::fill:
        return check(cudaMemsetAsync(output(), byte_, size, stream()), "cudaMemsetAsync");
    }
  }
  double moved_bytes() const { return static_cast<double>(bytes_) * (copies() ? 2 : 1); }

 private:
  bool copies() const { return kind_ == Kind::copy || kind_ == Kind::copy_kernel; }

  DeviceCode& code_;
  std::int64_t bytes_;
  Kind kind_;
  int byte_ = 0;
};

/// Bytes per second, read and written together: the best of copies, reads and fills of several
/// sizes, all much larger than the L2 cache. The largest is not always the fastest: 3.0 TB/s at 256
/// MiB and 2.4 TB/s at 1 GiB on an H100.
Best moving_bandwidth(CudaContext& context) {
  Best best;
  // The number of multiprocessors is needed only by kernels not used here.
  DeviceCode code(1);
  for (const std::int64_t wanted : {std::int64_t{1} << 28, std::int64_t{1} << 29, largest_copy}) {
    const std::int64_t most = std::min(wanted, free_device_bytes() / 4);
    const std::int64_t bytes = most - most % DeviceCode::copied_at_once;
    if (bytes < least_l2_multiple * context.l2_bytes()) continue;
    for (const auto kind : {Traffic::Kind::copy, Traffic::Kind::copy_kernel, Traffic::Kind::read,
                            Traffic::Kind::fill}) {
      // Data that is only read may stay in the cache between calls.
      if (kind == Traffic::Kind::read && bytes < least_l2_multiple_read * context.l2_bytes())
        continue;
      harness::OwnOperands places(context.allocator());
      Traffic traffic(context, places, code, bytes, kind);
      for (const Values values : all_values) {
        traffic.fill(values);
        // A captured graph would still write the previous byte.
        context.stopwatch().forget(traffic);
        for (int sample = 0; sample < copy_samples; ++sample) {
          const double seconds = context.stopwatch().time(traffic, calls);
          best.take(values, traffic.moved_bytes() * static_cast<double>(calls) / seconds);
        }
      }
    }
  }
  return best;
}

/// Bytes per second of matrix-vector products, which read the matrix and write almost nothing.
Best reading_bandwidth(CudaContext& context, harness::Backend& products) {
  constexpr std::int64_t rows = 8192;
  constexpr std::int64_t columns = 16384;
  const Gemm product{
      .m = 1, .n = rows, .k = columns, .transpose_b = true, .batch_a = {}, .batch_b = {}};
  const Problem problem{.shape = product, .epilogue = {}};
  const Work cost = work(problem, Precision::fp32);
  const double bytes_per_flop = static_cast<double>(cost.bytes()) / cost.flops;
  Best best;
  try {
    best = best_rate(context, products, problem, Precision::fp32);
  } catch (const harness::Unsupported&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
  return {.reported = best.reported * bytes_per_flop, .possible = best.possible * bytes_per_flop};
}

}  // namespace

harness::Peaks measure_peaks(CudaContext& context, harness::Backend& products) {
  const auto flops = [&](Precision precision) { return peak(context, products, precision); };
  const auto bandwidth = [&] {
    Best best = moving_bandwidth(context);
    best.take(reading_bandwidth(context, products));
    return best;
  };
  return harness::peaks_by_search(flops, bandwidth, context.l2_bytes());
}

namespace {

/// Keeps freed memory in the heap, so that the next problem's operands, hundreds of megabytes each,
/// reuse its pages. Page faults took a third of the time of checking DeepBench's products.
void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace

int suite_main(int argc, char** argv, const CudaSuite& suite,
               const harness::Registration& registration, const harness::Verifier& verifier) {
  keep_freed_memory();
  try {
    const CudaOptions options =
        take_cuda_options(argc, argv, [](const char* name) { return std::getenv(name); });
    // CUDA reads this in its first call, which comes later.
    if (options.visible) ::setenv("CUDA_VISIBLE_DEVICES", options.visible->c_str(), 1);
    LazyContext device(options);
    if (suite.products) {
      device.measure_peaks_with([&suite](LazyContext& context) {
        const auto products = suite.products(context);
        return measure_peaks(context.get(), *products);
      });
    }
    const auto backend = suite.backend(device);
    std::vector<harness::Backend*> companions;
    const auto products = suite.products ? suite.products(device) : nullptr;
    if (products && products->name() != backend->name()) companions.push_back(products.get());
    return harness::bench_main(argc, argv, *backend, registration, verifier, companions);
  } catch (const std::exception& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": " << error.what() << '\n';
    return static_cast<int>(harness::Exit::error);
  }
}

}  // namespace benanza::nvidia
