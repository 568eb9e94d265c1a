#include "record/capture/cupti/convert.h"

#include <gmock/gmock.h>

namespace benanza::record {
namespace {

const char* call_name(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (id == 0) return nullptr;
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaLaunchKernel" : "cuLaunchKernel";
}

template <class Record>
std::optional<Event> converted(const Record& record) {
  return event_of(reinterpret_cast<const CUpti_Activity&>(record), call_name);
}

/// Sets the fields common to all records of device activity.
template <class Record>
Record launched(CUpti_ActivityKind kind) {
  Record record{};
  record.kind = kind;
  record.start = 100;
  record.end = 250;
  record.deviceId = 1;
  record.contextId = 2;
  record.streamId = 3;
  record.graphId = 5;
  record.correlationId = 4;
  return record;
}
constexpr Launched at{.start = 100,
                      .end = 250,
                      .device = 1,
                      .context = 2,
                      .stream = 3,
                      .correlation = 4,
                      .graph = 5,
                      .node = 6};

TEST(CuptiRecords, Kernels) {
  auto record = launched<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  record.graphNodeId = 6;
  record.name = "sgemm";
  record.gridX = 7;
  record.gridY = 8;
  record.gridZ = 9;
  record.blockX = 10;
  record.blockY = 11;
  record.blockZ = 12;
  record.registersPerThread = 13;
  record.staticSharedMemory = 14;
  record.dynamicSharedMemory = 15;
  EXPECT_EQ(converted(record), Event(KernelEvent{.at = at,
                                                 .name = "sgemm",
                                                 .grid = {7, 8, 9},
                                                 .block = {10, 11, 12},
                                                 .registers = 13,
                                                 .static_shared_bytes = 14,
                                                 .dynamic_shared_bytes = 15}));
  record.name = nullptr;
  EXPECT_EQ(std::get<KernelEvent>(*converted(record)).name, "");
  record.end = 0;  // CUPTI_TIMESTAMP_UNKNOWN
  EXPECT_EQ(converted(record), std::nullopt);
}

TEST(CuptiRecords, CopiesHaveTheirDirection) {
  auto record = launched<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  record.graphNodeId = 6;
  record.bytes = 1ull << 33;
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  EXPECT_EQ(converted(record),
            Event(CopyEvent{.at = at, .direction = "device to host", .bytes = 1ull << 33}));
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  EXPECT_EQ(std::get<CopyEvent>(*converted(record)).direction, "host to device");
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  EXPECT_EQ(std::get<CopyEvent>(*converted(record)).direction, "device to device");
  record.copyKind = 200;
  EXPECT_EQ(std::get<CopyEvent>(*converted(record)).direction, "unknown direction");

  auto peer = launched<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.graphNodeId = 6;
  peer.bytes = 8;
  EXPECT_EQ(converted(peer), Event(CopyEvent{.at = at, .direction = "peer to peer", .bytes = 8}));

  auto set = launched<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.graphNodeId = 6;
  set.bytes = 9;
  EXPECT_EQ(converted(set), Event(CopyEvent{.at = at, .direction = "set", .bytes = 9}));
}

TEST(CuptiRecords, CallsAreNamedByTheirDomain) {
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record.cbid = 1;
  record.start = 10;
  record.end = 20;
  record.processId = 1;
  record.threadId = 2;
  record.correlationId = 3;
  record.returnValue = 4;
  EXPECT_EQ(converted(record), Event(ApiEvent{.name = "cudaLaunchKernel",
                                              .start = 10,
                                              .end = 20,
                                              .thread = 2,
                                              .correlation = 3,
                                              .result = 4}));
  record.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  EXPECT_EQ(std::get<ApiEvent>(*converted(record)).name, "cuLaunchKernel");
  record.cbid = 0;
  EXPECT_EQ(std::get<ApiEvent>(*converted(record)).name, "unknown call");
}

TEST(CuptiRecords, RangesHaveTwoEnds) {
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  record.timestamp = 30;
  record.id = 9;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = 1;
  record.objectId.pt.threadId = 2;
  record.name = "step";
  record.domain = "train";
  EXPECT_EQ(converted(record), Event(MarkerEvent{.kind = MarkerEvent::Kind::begin,
                                                 .id = 9,
                                                 .time = 30,
                                                 .thread = 2,
                                                 .name = "step",
                                                 .domain = "train"}));
  record.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  record.name = record.domain = nullptr;
  EXPECT_EQ(std::get<MarkerEvent>(*converted(record)).kind, MarkerEvent::Kind::end);
  record.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
  EXPECT_EQ(converted(record), std::nullopt);
}

TEST(CuptiRecords, GraphsAndDevices) {
  const auto graph = launched<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  Launched whole = at;
  whole.node = 0;
  EXPECT_EQ(converted(graph), Event(GraphEvent{.at = whole}));

  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = 1;
  device.name = "H200";
  device.computeCapabilityMajor = 9;
  device.numMultiprocessors = 132;
  device.globalMemorySize = 77;
  EXPECT_EQ(converted(device), Event(DeviceEvent{.id = 1,
                                                 .name = "H200",
                                                 .capability_major = 9,
                                                 .capability_minor = 0,
                                                 .multiprocessors = 132,
                                                 .memory_bytes = 77}));
  device.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  EXPECT_EQ(converted(device), std::nullopt);
}

}  // namespace
}  // namespace benanza::record
