#include "record/capture/cupti/calls.h"

#include <algorithm>

namespace benanza::record {
namespace {

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
