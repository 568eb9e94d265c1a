#include "suites/nvidia/run/device_code.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/file.h"

namespace benanza::nvidia {
namespace {

TEST(ClockHz, CyclesOverWallClock) {
  // 1.98 million cycles in a millisecond.
  EXPECT_DOUBLE_EQ(clock_hz({.nanoseconds = 500, .cycles = 1000},
                            {.nanoseconds = 1'000'500, .cycles = 1'981'000}),
                   1.98e9);
}

TEST(ClockHz, ZeroWhereNothingWasRead) {
  EXPECT_EQ(clock_hz({}, {}), 0);
  EXPECT_EQ(clock_hz({}, {.nanoseconds = 9, .cycles = 9}), 0);
  EXPECT_EQ(clock_hz({.nanoseconds = 9, .cycles = 9}, {.nanoseconds = 8, .cycles = 10}), 0);
}

TEST(DeviceCode, PtxAssemblesForEveryGpuSinceTuring) {
  const std::string assembler = PTXAS;
  if (!std::filesystem::exists(assembler)) GTEST_SKIP() << "no ptxas";
  const std::string source = testing::TempDir() + "benanza_device_code.ptx";
  write_file(source, device_code_ptx);
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const std::string command = assembler + " -arch=" + architecture + " -o /dev/null " + source;
    EXPECT_EQ(std::system(command.c_str()), 0) << architecture;
  }
  std::filesystem::remove(source);
}

}  // namespace
}  // namespace benanza::nvidia
