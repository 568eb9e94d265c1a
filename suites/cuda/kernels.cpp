#include "cuda/kernels.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "cuda/check.h"
#include "harness/statistics.h"

namespace benanza {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

struct Record {
  std::uint64_t start_nanoseconds;
  std::uint64_t end_nanoseconds;
  std::string name;
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
      records_.push_back({kernel->start, kernel->end, kernel->name == nullptr ? "" : kernel->name});
    }
  }

  static inline std::atomic<Collector*> active_ = nullptr;
  const Cupti& cupti_;
  decltype(cuptiActivityGetNextRecord)* next_;
  std::mutex mutex_;
  std::vector<Record> records_;
};

std::vector<KernelTime> by_position(const std::vector<KernelTime>& records, std::size_t kernels) {
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

std::vector<KernelTime> by_name(const std::vector<KernelTime>& records, std::size_t calls) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> times;
  for (const KernelTime& record : records) {
    if (times[record.name].empty()) order.push_back(record.name);
    times[record.name].push_back(record.seconds);
  }
  std::vector<KernelTime> result;
  for (const std::string& name : order) {
    const std::vector<double>& all = times[name];
    if (all.size() % calls != 0) return {};
    result.insert(result.end(), all.size() / calls, {name, median(all)});
  }
  return result;
}

}  // namespace

KernelRecords record_kernels(const Cupti& cupti, const std::function<void()>& work) {
  Collector collector(cupti);
  work();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<Record> records = collector.take();
  std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return a.start_nanoseconds < b.start_nanoseconds;
  });
  KernelRecords result;
  std::vector<Span> spans;
  for (Record& record : records) {
    // Relative to the first: a double does not hold nanoseconds since 1970.
    const auto seconds = [&](std::uint64_t nanoseconds) {
      return static_cast<double>(nanoseconds - records.front().start_nanoseconds) * 1e-9;
    };
    spans.push_back({seconds(record.start_nanoseconds), seconds(record.end_nanoseconds)});
    result.kernels.push_back({std::move(record.name), spans.back().end - spans.back().begin});
  }
  for (const Span& span : spans) result.span_seconds = std::max(result.span_seconds, span.end);
  result.busy_seconds = covered_seconds(std::move(spans));
  return result;
}

double covered_seconds(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double covered = 0;
  double until = spans.empty() ? 0 : spans.front().begin;
  for (const Span& span : spans) {
    covered += std::max(0.0, span.end - std::max(span.begin, until));
    until = std::max(until, span.end);
  }
  return covered;
}

std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls) {
  if (calls == 0 || records.size() % calls != 0) return {};
  const std::vector<KernelTime> in_order = by_position(records, records.size() / calls);
  return in_order.empty() ? by_name(records, calls) : in_order;
}

Facts kernel_facts(const KernelRecords& records, std::size_t calls) {
  std::string names;
  for (const KernelTime& kernel : kernels_of_a_call(records.kernels, calls)) {
    if (!names.empty()) names += ',';
    names += kernel.name;
  }
  if (names.empty()) return {};
  return {{"kernel_names", names},
          {"kernel_seconds", records.busy_seconds / static_cast<double>(calls)},
          {"kernel_span_seconds", records.span_seconds / static_cast<double>(calls)}};
}

}  // namespace benanza
