#include "record/capture/cupti/convert.h"

#include <algorithm>

namespace benanza::record {
namespace {

std::string_view text(const char* words) { return words == nullptr ? "" : words; }

std::int64_t time(std::uint64_t nanoseconds) { return static_cast<std::int64_t>(nanoseconds); }

/// False for activities that CUPTI did not time.
bool is_timed(std::uint64_t start, std::uint64_t end) {
  return start != CUPTI_TIMESTAMP_UNKNOWN && end >= start && end != CUPTI_TIMESTAMP_UNKNOWN;
}

template <class Record>
Launched launched(const Record& record) {
  Launched at{.start = time(record.start),
              .end = time(record.end),
              .device = record.deviceId,
              .context = record.contextId,
              .stream = record.streamId,
              .correlation = record.correlationId,
              .graph = record.graphId};
  if constexpr (requires { record.graphNodeId; }) at.node = record.graphNodeId;
  return at;
}

std::string_view direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return "device to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "host to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "peer to peer";
    default:
      return "unknown direction";
  }
}

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

std::optional<Event> kernel(const CUpti_ActivityKernel10& record) {
  if (!is_timed(record.start, record.end)) return std::nullopt;
  return KernelEvent{
      .at = launched(record),
      .name = text(record.name),
      .grid = {record.gridX, record.gridY, record.gridZ},
      .block = {record.blockX, record.blockY, record.blockZ},
      .registers = record.registersPerThread,
      .static_shared_bytes = static_cast<std::uint32_t>(record.staticSharedMemory),
      .dynamic_shared_bytes = static_cast<std::uint32_t>(record.dynamicSharedMemory)};
}

template <class Record>
std::optional<Event> copy(const Record& record, std::string_view direction) {
  if (!is_timed(record.start, record.end)) return std::nullopt;
  return CopyEvent{.at = launched(record), .direction = direction, .bytes = record.bytes};
}

std::optional<Event> api(const CUpti_ActivityAPI& record, CUpti_CallbackDomain domain,
                         const CallName& call_name) {
  if (!is_timed(record.start, record.end)) return std::nullopt;
  const std::string_view name = text(call_name(domain, record.cbid));
  return ApiEvent{.name = name.empty() ? "unknown call" : name,
                  .start = time(record.start),
                  .end = time(record.end),
                  .thread = record.threadId,
                  .correlation = record.correlationId,
                  .result = record.returnValue};
}

std::optional<Event> marker(const CUpti_ActivityMarker2& record) {
  const bool begins = (record.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
  const bool ends = (record.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0;
  if (!begins && !ends) return std::nullopt;
  const bool has_thread = record.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
  return MarkerEvent{.kind = begins ? MarkerEvent::Kind::begin : MarkerEvent::Kind::end,
                     .id = record.id,
                     .time = time(record.timestamp),
                     .thread = has_thread ? record.objectId.pt.threadId : 0,
                     .name = text(record.name),
                     .domain = text(record.domain)};
}

std::optional<Event> graph(const CUpti_ActivityGraphTrace2& record) {
  if (!is_timed(record.start, record.end)) return std::nullopt;
  return GraphEvent{.at = launched(record)};
}

std::string_view memory_kind(CUpti_ActivityMemoryKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "device";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "managed";
    default:
      return "unknown kind";
  }
}

std::optional<Event> memory(const CUpti_ActivityMemory4& record) {
  const bool is_freed = record.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  const bool is_taken =
      record.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  if (!is_freed && !is_taken) return std::nullopt;
  return MemoryEvent{.time = time(record.timestamp),
                     .device = record.deviceId,
                     .is_freed = is_freed,
                     .kind = memory_kind(record.memoryKind),
                     .address = record.address,
                     .bytes = record.bytes};
}

DeviceEvent device(const CUpti_ActivityDevice5& record) {
  return {.id = record.id,
          .name = text(record.name),
          .capability_major = record.computeCapabilityMajor,
          .capability_minor = record.computeCapabilityMinor,
          .multiprocessors = record.numMultiprocessors,
          .memory_bytes = record.globalMemorySize};
}

/// Prefixes of the recorded calls, after "cuda" or "cu". Variants and later versions of a call are
/// recorded like the call itself.
constexpr std::string_view recorded[] = {
    // Work.
    "Launch", "GraphLaunch", "Memcpy", "Memset", "MemPrefetch", "MemDiscard", "MemBatch",
    "StreamAddCallback", "StreamWriteValue", "StreamBatchMemOp",
    // Waits.
    "DeviceSynchronize", "ThreadSynchronize", "CtxSynchronize", "StreamSynchronize",
    "EventSynchronize", "StreamWait",
    // Memory.
    "Malloc", "Free", "HostAlloc", "HostRegister", "HostUnregister", "ArrayCreate", "ArrayDestroy",
    "Array3DCreate", "MipmappedArrayCreate", "MipmappedArrayDestroy", "MemAlloc", "MemFree",
    "MemHostAlloc", "MemHostRegister", "MemHostUnregister", "MemCreate", "MemRelease", "MemMap",
    "MemUnmap", "MemSetAccess", "MemAddressReserve", "MemAddressFree", "MemAdvise", "MemPoolCreate",
    "MemPoolDestroy", "MemPoolTrim", "IpcOpen", "IpcClose", "ImportExternal", "DestroyExternal",
    "WaitExternal", "SignalExternal", "MulticastCreate", "MulticastAdd", "MulticastBind",
    "MulticastUnbind",
    // Streams and events.
    "StreamCreate", "StreamDestroy", "StreamBeginCapture", "StreamEndCapture", "StreamAttach",
    "EventCreate", "EventDestroy", "EventRecord",
    // Graphs.
    "GraphInstantiate", "GraphUpload", "GraphExecUpdate", "GraphExecDestroy", "GraphCreate",
    "GraphDestroy", "GraphClone", "DeviceGraphMem",
    // Contexts and modules.
    "Init", "DeviceReset", "CtxCreate", "CtxDestroy", "DevicePrimaryCtxRetain",
    "DevicePrimaryCtxRelease", "DevicePrimaryCtxReset", "GreenCtxCreate", "GreenCtxDestroy",
    "ModuleLoadData", "ModuleLoadFat", "ModuleLoad_", "ModuleUnload", "LibraryLoad",
    "LibraryUnload", "LinkCreate", "LinkAdd", "LinkComplete"};

/// Upper bound of the callback ids, which have few gaps; CUDA 13 has about 800 for the driver.
constexpr CUpti_CallbackId most_calls = 2048;

}  // namespace

std::optional<Event> event_of(const CUpti_Activity& record, const CallName& call_name) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel(as<CUpti_ActivityKernel10>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(as<CUpti_ActivityMemcpy6>(record),
                  direction(as<CUpti_ActivityMemcpy6>(record).copyKind));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return copy(as<CUpti_ActivityMemcpyPtoP4>(record), "peer to peer");
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return copy(as<CUpti_ActivityMemset4>(record), "set");
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return api(as<CUpti_ActivityAPI>(record), CUPTI_CB_DOMAIN_RUNTIME_API, call_name);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api(as<CUpti_ActivityAPI>(record), CUPTI_CB_DOMAIN_DRIVER_API, call_name);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return marker(as<CUpti_ActivityMarker2>(record));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graph(as<CUpti_ActivityGraphTrace2>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return memory(as<CUpti_ActivityMemory4>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return device(as<CUpti_ActivityDevice5>(record));
    default:
      return std::nullopt;
  }
}

bool is_recorded_call(std::string_view name) {
  for (const std::string_view domain : {"cuda", "cu"}) {
    if (!name.starts_with(domain)) continue;
    name.remove_prefix(domain.size());
    break;
  }
  // Exact match only: this name is also a prefix of other calls.
  if (name == "ModuleLoad") return true;
  return std::any_of(std::begin(recorded), std::end(recorded),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

std::vector<CUpti_CallbackId> recorded_calls(CUpti_CallbackDomain domain,
                                             const CallName& call_name) {
  std::vector<CUpti_CallbackId> ids;
  for (CUpti_CallbackId id = 1; id < most_calls; ++id) {
    const char* const name = call_name(domain, id);
    if (name != nullptr && is_recorded_call(name)) ids.push_back(id);
  }
  return ids;
}

void enable_recorded_calls(const nvidia::Cupti& cupti, const CallName& call_name) {
  struct Domain {
    const char* enable;
    CUpti_CallbackDomain domain;
  };
  for (const Domain& one : {Domain{"cuptiActivityEnableRuntimeApi", CUPTI_CB_DOMAIN_RUNTIME_API},
                            Domain{"cuptiActivityEnableDriverApi", CUPTI_CB_DOMAIN_DRIVER_API}}) {
    auto* const enable = cupti.function<decltype(cuptiActivityEnableRuntimeApi)>(one.enable);
    for (const CUpti_CallbackId id : recorded_calls(one.domain, call_name)) enable(id, 1);
  }
}

}  // namespace benanza::record
