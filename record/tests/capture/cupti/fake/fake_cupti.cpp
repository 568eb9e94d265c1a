// A CUPTI without a GPU, with only the functions that the recorder needs. The program determines
// what it "records": fake_launch() calls cudaGetDevice and then launches a kernel, which runs for
// 1000 ns and starts 100 ns later; fake_wait() waits for 1500 ns. FAKE_CUPTI=old: reports another
// version; FAKE_CUPTI=busy: nothing can be recorded. Like the real CUPTI (13.0), it crashes the
// process if called after the program's end, and reports no call that was enabled by itself after
// the program's first work.
#include <cupti.h>
#include <generated_nvtx_meta.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "record/tests/capture/cupti/fake/fake_profiler.h"

namespace {

std::mutex mutex;
CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc buffer_is_complete = nullptr;
CUpti_CallbackFunc nvtx_callback = nullptr;
void* nvtx_user = nullptr;
std::set<int> enabled;
/// Callback ids of the runtime's calls that were enabled and disabled one by one.
std::set<std::uint32_t> enabled_calls;
std::set<std::uint32_t> disabled_calls;
constexpr std::uint32_t launch_call = 1;
constexpr std::uint32_t question_call = 2;
constexpr std::uint32_t wait_call = 3;
std::vector<std::vector<std::uint8_t>> records;
std::uint32_t next_correlation = 1;
/// In 2001, so that it cannot be mistaken for the current time.
std::uint64_t now = 1'000'000'000'000'000'000;
std::vector<std::uint32_t> open_ranges;
std::uint32_t next_range = 1;
int flushes = 0;
bool has_begun = false;

bool is(std::string_view kind) {
  const char* const value = std::getenv("FAKE_CUPTI");
  return value != nullptr && value == kind;
}

template <class Record>
void add(const Record& record) {
  if (!enabled.contains(record.kind)) return;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
  records.emplace_back(bytes, bytes + sizeof record);
}

/// The first work makes the context, when CUPTI tells of the device.
void make_context() {
  if (has_begun) return;
  has_begun = true;
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.name = "Fake GPU";
  device.computeCapabilityMajor = 9;
  device.numMultiprocessors = 2;
  add(device);
}

void add_call(const CUpti_ActivityAPI& record) {
  const bool is_on = enabled.contains(record.kind) ? !disabled_calls.contains(record.cbid)
                                                   : enabled_calls.contains(record.cbid);
  if (!is_on) return;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
  records.emplace_back(bytes, bytes + sizeof record);
}

/// True when its static objects are destroyed.
std::atomic<bool> is_gone = false;
void need_life() {
  if (is_gone) ::raise(SIGSEGV);
}
/// Destruction takes a while, like the driver's; other threads continue meanwhile.
struct End {
  ~End() {
    is_gone = true;
    ::usleep(100'000);
  }
} const end;

std::uint32_t thread() { return static_cast<std::uint32_t>(::syscall(SYS_gettid)); }

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = is("old") ? 22 : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** words) {
  *words = "CUPTI_ERROR_OF_THE_TEST";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  *time = now;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  buffer_is_complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  need_life();
  if (is("busy")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard lock(mutex);
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
    enabled_calls.clear();
    disabled_calls.clear();
  }
  enabled.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId call, std::uint8_t enable) {
  need_life();
  if (is("busy")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard lock(mutex);
  if (enable != 0) {
    if (has_begun) return CUPTI_SUCCESS;
    enabled_calls.insert(call);
    disabled_calls.erase(call);
  } else {
    enabled_calls.erase(call);
    disabled_calls.insert(call);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId, std::uint8_t) {
  need_life();
  return is("busy") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  need_life();
  const std::lock_guard lock(mutex);
  enabled.erase(kind);
  // Drops records that were not delivered yet.
  std::erase_if(records, [&](const std::vector<std::uint8_t>& record) {
    return reinterpret_cast<const CUpti_Activity*>(record.data())->kind == kind;
  });
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  need_life();
  const std::lock_guard lock(mutex);
  ++flushes;
  while (!records.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
    request_buffer(&buffer, &size, &most);
    std::size_t used = 0;
    while (!records.empty() && used + records.front().size() <= size) {
      std::memcpy(buffer + used, records.front().data(), records.front().size());
      used += records.front().size();
      records.erase(records.begin());
    }
    buffer_is_complete(nullptr, 0, buffer, size, used);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  const auto size_of = [](const CUpti_Activity* one) -> std::size_t {
    switch (one->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(CUpti_ActivityKernel10);
      case CUPTI_ACTIVITY_KIND_DEVICE:
        return sizeof(CUpti_ActivityDevice5);
      case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        return sizeof(CUpti_ActivityGraphTrace2);
      case CUPTI_ACTIVITY_KIND_MARKER:
        return sizeof(CUpti_ActivityMarker2);
      case CUPTI_ACTIVITY_KIND_MEMORY2:
        return sizeof(CUpti_ActivityMemory4);
      default:
        return sizeof(CUpti_ActivityAPI);
    }
  };
  auto* next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + size_of(*record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = is("loses") ? 2 : 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  const bool is_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (id == launch_call) {
    *name = is_runtime ? "cudaLaunchKernel_v7000" : "cuLaunchKernel";
  } else if (id == question_call) {
    *name = is_runtime ? "cudaGetDevice_v3020" : "cuCtxGetCurrent";
  } else if (id == wait_call) {
    *name = is_runtime ? "cudaDeviceSynchronize_v3020" : "cuCtxSynchronize";
  } else {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  return CUPTI_SUCCESS;
}
int InitializeInjectionNvtx2(void*) { return 1; }
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void* user) {
  nvtx_callback = callback;
  nvtx_user = user;
  fake::subscribe(callback, user);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}

int fake_is_on() {
  const std::lock_guard lock(mutex);
  return enabled.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ? 1 : 0;
}
int fake_is_enabled(int kind) {
  const std::lock_guard lock(mutex);
  return enabled.contains(kind) ? 1 : 0;
}
int fake_flushes() {
  const std::lock_guard lock(mutex);
  return flushes;
}
void fake_launch(const char* kernel) {
  fake::launch(kernel);
  const std::lock_guard lock(mutex);
  make_context();
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.threadId = thread();
  call.cbid = question_call;
  call.start = now - 10;
  call.end = now - 5;
  call.correlationId = next_correlation++;
  add_call(call);
  call.cbid = launch_call;
  call.start = now;
  call.end = now + 50;
  call.correlationId = next_correlation;
  add_call(call);
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = now + 100;
  record.end = now + 1100;
  record.correlationId = next_correlation++;
  record.name = kernel;
  add(record);
  now += 2000;
}
void fake_wait() {
  const std::lock_guard lock(mutex);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.threadId = thread();
  call.cbid = wait_call;
  call.start = now;
  call.end = now + 1500;
  call.correlationId = next_correlation++;
  add_call(call);
  now += 2000;
}
/// A graph of one kernel of 1000 ns. Its kernel is not reported while whole graphs are timed.
void fake_graph() {
  fake::launch_graph();
  const std::lock_guard lock(mutex);
  make_context();
  if (!enabled.contains(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = now + 100;
    kernel.end = now + 1100;
    kernel.graphId = 7;
    kernel.correlationId = next_correlation++;
    kernel.name = "node";
    add(kernel);
    now += 2000;
    return;
  }
  CUpti_ActivityGraphTrace2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  record.start = now + 100;
  record.end = now + 1100;
  record.graphId = 7;
  record.correlationId = next_correlation++;
  add(record);
  now += 2000;
}
/// Allocates 4096 bytes at an address, or frees them.
void fake_memory(std::uint64_t address, int is_freed) {
  const std::lock_guard lock(mutex);
  CUpti_ActivityMemory4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType = is_freed != 0 ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                             : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.address = address;
  record.bytes = 4096;
  record.timestamp = now++;
  add(record);
}
void fake_push(const char* name) {
  if (nvtx_callback != nullptr) {
    const nvtxRangePushA_params parameters{name};
    const CUpti_NvtxData data{"nvtxRangePushA", &parameters, nullptr};
    nvtx_callback(nvtx_user, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxRangePushA, &data);
  }
  const std::lock_guard lock(mutex);
  CUpti_ActivityMarker2 marker{};
  marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
  marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  marker.timestamp = now++;
  marker.id = next_range;
  marker.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  marker.objectId.pt.threadId = thread();
  marker.name = name;
  add(marker);
  open_ranges.push_back(next_range++);
}
void fake_pop() {
  {
    const std::lock_guard lock(mutex);
    CUpti_ActivityMarker2 marker{};
    marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
    marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
    marker.timestamp = now++;
    marker.id = open_ranges.back();
    add(marker);
    open_ranges.pop_back();
  }
  if (nvtx_callback == nullptr) return;
  const CUpti_NvtxData data{"nvtxRangePop", nullptr, nullptr};
  nvtx_callback(nvtx_user, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxRangePop, &data);
}
}
