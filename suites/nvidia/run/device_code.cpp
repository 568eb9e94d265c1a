#include "suites/nvidia/run/device_code.h"

#include <algorithm>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

/// Threads per block of the kernels that move bytes.
constexpr unsigned moving_threads = 256;

cudaKernel_t kernel_named(cudaLibrary_t library, const char* name) {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library, name), name);
  return kernel;
}

void launch(cudaKernel_t kernel, unsigned blocks, unsigned threads, void** arguments,
            cudaStream_t stream) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads),
                         arguments, 0, stream),
        "cudaLaunchKernel");
}

}  // namespace

double clock_hz(const ClockReading& before, const ClockReading& after) {
  if (before.nanoseconds == 0 || after.nanoseconds <= before.nanoseconds ||
      after.cycles <= before.cycles)
    return 0;
  return static_cast<double>(after.cycles - before.cycles) * 1e9 /
         static_cast<double>(after.nanoseconds - before.nanoseconds);
}

DeviceCode::DeviceCode(int multiprocessors) : multiprocessors_(multiprocessors) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, device_code_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData of the stopwatch's kernels");
  library_.reset(library);
  delay_ = kernel_named(library, "benanza_delay");
  read_clock_ = kernel_named(library, "benanza_read_clock");
  copy_ = kernel_named(library, "benanza_copy");
  read_ = kernel_named(library, "benanza_read");
  gather_ = kernel_named(library, "benanza_gather");
  gather_narrow_ = kernel_named(library, "benanza_gather_narrow");

  void* memory = nullptr;
  check(cudaMallocHost(&memory, readings_kept * sizeof(ClockReading)), "cudaMallocHost");
  readings_.reset(static_cast<ClockReading*>(memory));
  forget_readings();
}

void DeviceCode::forget_readings() { std::fill_n(readings_.get(), readings_kept, ClockReading{}); }

void DeviceCode::delay(double seconds, cudaStream_t stream) {
  auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
  void* arguments[] = {&nanoseconds};
  launch(delay_, 1, 1, arguments, stream);
}

void DeviceCode::read_clock(std::size_t index, cudaStream_t stream) {
  ClockReading* reading = &readings_[index];
  void* arguments[] = {&reading};
  launch(read_clock_, static_cast<unsigned>(multiprocessors_), 1, arguments, stream);
}

void DeviceCode::copy(std::byte* to, const std::byte* from, std::int64_t bytes,
                      cudaStream_t stream) {
  void* arguments[] = {&to, &from};
  launch(copy_, static_cast<unsigned>(bytes / copied_at_once), moving_threads, arguments, stream);
}

void DeviceCode::read(std::byte* scratch, const std::byte* from, std::int64_t bytes,
                      cudaStream_t stream) {
  void* arguments[] = {&scratch, &from};
  launch(read_, static_cast<unsigned>(bytes / copied_at_once), moving_threads, arguments, stream);
}

void DeviceCode::gather(const harness::RowGather& rows, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 0x7fffffff;
  const std::int64_t blocks = rows.outer * rows.count;
  if (rows.row_bytes % 2 != 0 || blocks > most_blocks) {
    throw harness::Unsupported("gathers rows of an even number of bytes, at most 2147483647");
  }
  if (blocks == 0) return;
  std::byte* target = rows.target;
  const std::byte* source = rows.source;
  const std::byte* indices = rows.indices;
  std::int64_t row_bytes = rows.row_bytes;
  std::int64_t extent = rows.extent;
  auto count = static_cast<unsigned>(rows.count);
  auto index_bytes = static_cast<unsigned>(rows.index_bytes);
  void* arguments[] = {&target, &source, &indices, &row_bytes, &count, &extent, &index_bytes};
  launch(row_bytes % 16 == 0 ? gather_ : gather_narrow_, static_cast<unsigned>(blocks),
         moving_threads, arguments, stream);
}

}  // namespace benanza::nvidia
