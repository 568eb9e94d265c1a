#include "cuda/kernels.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "cuda/check.h"
#include "harness/statistics.h"

namespace benanza {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

struct Record {
  std::uint64_t start_nanoseconds;
  KernelTime kernel;
};

/// Takes CUPTI's buffers while it lives. There is one at a time, because CUPTI's callbacks carry
/// nothing of the caller's.
class Collector {
 public:
  explicit Collector(const Cupti& cupti)
      : cupti_(cupti),
        next_(cupti.function<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord")) {
    active_ = this;
    try {
      cupti_.call<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks",
                                                            &request, &complete);
      cupti_.call<decltype(cuptiActivityEnable)>("cuptiActivityEnable", kind);
    } catch (...) {
      active_ = nullptr;
      throw;
    }
  }
  ~Collector() {
    cupti_.function<decltype(cuptiActivityDisable)>("cuptiActivityDisable")(kind);
    active_ = nullptr;
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  std::vector<Record> take() {
    cupti_.call<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll",
                                                 std::uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
    const std::lock_guard lock(mutex_);
    return std::move(records_);
  }

 private:
  /// The kind that leaves kernels alone; CUPTI_ACTIVITY_KIND_KERNEL would run them one by one.
  static constexpr CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

  static void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *records = 0;
  }

  static void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                std::size_t valid) {
    if (Collector* const collector = active_) collector->read(buffer, valid);
    std::free(buffer);
  }

  void read(std::uint8_t* buffer, std::size_t valid) {
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && next_(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind != kind) continue;
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      records_.push_back({kernel->start,
                          {kernel->name == nullptr ? "" : kernel->name,
                           static_cast<double>(kernel->end - kernel->start) * 1e-9}});
    }
  }

  static inline std::atomic<Collector*> active_ = nullptr;
  const Cupti& cupti_;
  decltype(cuptiActivityGetNextRecord)* next_;
  std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace

std::vector<KernelTime> record_kernels(const Cupti& cupti, const std::function<void()>& work) {
  Collector collector(cupti);
  work();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<Record> records = collector.take();
  std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return a.start_nanoseconds < b.start_nanoseconds;
  });
  std::vector<KernelTime> kernels;
  for (Record& record : records) kernels.push_back(std::move(record.kernel));
  return kernels;
}

std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls) {
  if (calls == 0 || records.size() % calls != 0) return {};
  const std::size_t kernels = records.size() / calls;
  std::vector<KernelTime> result;
  for (std::size_t position = 0; position < kernels; ++position) {
    std::vector<double> times;
    for (std::size_t at = position; at < records.size(); at += kernels) {
      if (records[at].name != records[position].name) return {};
      times.push_back(records[at].seconds);
    }
    result.push_back({records[position].name, median(times)});
  }
  return result;
}

Facts kernel_facts(const std::vector<KernelTime>& kernels) {
  std::string names;
  double seconds = 0;
  for (const KernelTime& kernel : kernels) {
    if (!names.empty()) names += ',';
    names += kernel.name;
    seconds += kernel.seconds;
  }
  return {{"kernel_names", names}, {"kernel_seconds", seconds}};
}

}  // namespace benanza
