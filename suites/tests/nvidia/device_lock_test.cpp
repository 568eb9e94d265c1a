#include "suites/nvidia/device/device_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "core/tests/folder.h"

namespace benanza::nvidia {
namespace {

using testing::HasSubstr;

struct DeviceLocks : testing::Test {
  ~DeviceLocks() override { std::filesystem::remove(file); }
  std::filesystem::path file = device_lock_file("test-" + std::to_string(::getpid()));
  std::ostringstream notes;
};

TEST_F(DeviceLocks, AFreeGpuIsTakenWithoutAWord) {
  { const DeviceLock lock(file, notes); }
  { const DeviceLock again(file, notes); }
  EXPECT_EQ(notes.str(), "");
}

TEST_F(DeviceLocks, TheSecondWaitsForTheFirstAndSaysSo) {
  std::optional<DeviceLock> first(std::in_place, file, notes);
  const test::Folder folder;
  std::atomic<bool> taken = false;
  std::thread second([&] {
    std::ofstream waiting(folder / "notes");
    const DeviceLock lock(file, waiting << std::unitbuf);
    taken = true;
  });
  while (!taken && test::contents(folder / "notes").empty()) std::this_thread::yield();
  EXPECT_THAT(test::contents(folder / "notes"), HasSubstr("waiting for another suite on this GPU"));
  EXPECT_FALSE(taken);
  first.reset();
  second.join();
  EXPECT_TRUE(taken);
}

TEST_F(DeviceLocks, EveryGpuHasItsOwn) {
  const std::filesystem::path other = device_lock_file("test-other");
  EXPECT_NE(other, file);
  const DeviceLock first(file, notes);
  { const DeviceLock second(other, notes); }
  EXPECT_EQ(notes.str(), "");
  std::filesystem::remove(other);
}

TEST_F(DeviceLocks, WhereNoFileCanBeThereIsOneLineAndNoWait) {
  { const DeviceLock lock("/proc/nowhere/gpu.lock", notes); }
  EXPECT_THAT(notes.str(), HasSubstr("/proc/nowhere/gpu.lock: "));
}

}  // namespace
}  // namespace benanza::nvidia
