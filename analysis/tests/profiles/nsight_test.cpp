#include <gmock/gmock.h>

#include "analysis/input/nsight_export.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"
#include "core/base/sqlite.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::Folder;
using test::us;
using testing::Contains;
using testing::HasSubstr;

/// Process 3, thread 5, as Nsight Systems packs them.
constexpr const char* ids = "50331653";

std::filesystem::path database(const Folder& folder, const std::string& sql) {
  const std::filesystem::path path = folder.path() / "report.sqlite";
  sqlite::Connection(path, sqlite::Connection::Mode::write).execute(sql.c_str());
  return path;
}

/// Two launches, 10 us apart, of kernels of 5 us; the first one within a range.
std::string newer() {
  const std::string id = ids;
  return R"(
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
  shortName INTEGER, graphId INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, computeMajor INTEGER, computeMinor INTEGER, smCount INTEGER);
INSERT INTO StringIds VALUES(1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
  (4, 'layer 1'), (5, 'cudaMemcpyAsync_v3020');
INSERT INTO TARGET_INFO_GPU VALUES(0, 'NVIDIA H100', 9, 0, 132);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1000000, 1003000, 0, )" +
         id + R"(, 1, 3, 0, NULL), (1010000, 1013000, 0, )" + id +
         R"(, 2, 3, 0, NULL), (1020000, 1021000, 0, )" + id + R"(, 3, 5, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (1004000, 1009000, 0, 1, 0, 7, 1, 50331648, 1, 2, NULL, NULL),
  (1014000, 1019000, 0, 1, 0, 7, 2, 50331648, 1, 2, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1022000, 1024000, 0, 1, 7, 3, 50331648, 4096, 2);
INSERT INTO NVTX_EVENTS VALUES(999000, 1005000, 59, NULL, 4, )" +
         id + R"(), (999000, NULL, 34, 'a mark', NULL, )" + id + ");";
}

TEST(Nsight, NewerExportsAreRead) {
  const Folder folder;
  const auto file = database(folder, newer());
  ASSERT_TRUE(is_nsight_export(file));
  const DeviceRecording recording = read_nsight_export(file);
  ASSERT_EQ(recording.work.size(), 3);
  EXPECT_EQ(recording.work[0].start, 5000);
  EXPECT_EQ(recording.work[0].process, 3);
  EXPECT_EQ(recording.api[0].thread, 5);
  EXPECT_EQ(recording.names[recording.api[0].name], "cudaLaunchKernel");
  EXPECT_EQ(recording.names[recording.work[2].name], "device to host");
  EXPECT_EQ(recording.work[2].bytes, 4096);
  EXPECT_EQ(recording.devices.at(0).compute_capability, "9.0");
  const Profile profile = read_profile(file);
  EXPECT_EQ(profile.framework, "nsight-systems");
  EXPECT_EQ(profile.device, "NVIDIA H100");
  ASSERT_EQ(profile.nodes.size(), 3);
  EXPECT_EQ(profile.nodes[0].name, "layer 1");
  EXPECT_EQ(profile.nodes[0].kernels.at(0).name, "void gemm<float>(int)");
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 5 * us);
  EXPECT_EQ(profile.nodes[1].name, "void gemm<float>(int)");
  ASSERT_TRUE(profile.timeline);
  EXPECT_NEAR(profile.timeline->busy_seconds, 12 * us, 1e-12);
  EXPECT_GT(profile.timeline->host_bound_seconds, 0);
}

TEST(Nsight, OlderExportsAreRead) {
  const Folder folder;
  const Profile profile = read_profile(database(folder, R"(
CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, name INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, cbid INT, processId INT, threadId INT, correlationId INT);
INSERT INTO StringTable VALUES(1, 'gemm');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(0, 3000, 211, 9, 9, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(4000, 9000, 0, 1, 7, 1, 1);
)"));
  ASSERT_EQ(profile.nodes.size(), 1);
  EXPECT_EQ(profile.nodes[0].name, "gemm");
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 5 * us);
}

TEST(Nsight, GraphsAreTold) {
  const Folder folder;
  const Profile profile = read_profile(database(
      folder, newer() + "UPDATE StringIds SET value = 'cudaGraphLaunch_v10000' WHERE id = 3;"));
  EXPECT_EQ(profile.nodes.at(0).name, "cudaGraphLaunch");
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("2 of 3 kernels and copies ran in CUDA graphs")));
}

TEST(Nsight, WhatHasNoKernelOrNoSizesIsRefused) {
  const Folder folder;
  const auto file = database(folder, newer());
  EXPECT_THAT(error_of([&] { read_profile(file, NeedsLatency::no); }),
              HasSubstr("is an export of Nsight Systems"));
  const Folder other;
  const auto empty = database(other, "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);");
  EXPECT_THAT(error_of([&] { read_profile(empty); }), HasSubstr("without a kernel"));
  const Folder third;
  const auto recording = database(third, "CREATE TABLE run(command TEXT);");
  EXPECT_FALSE(is_nsight_export(recording));
  EXPECT_THAT(error_of([&] { read_profile(recording); }), HasSubstr("is an SQLite file"));
}

}  // namespace
}  // namespace benanza::analysis
