#include "record/views/memory_profile.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr std::int64_t one_second = 1'000'000'000;

struct MemoryMade {
  DeviceRecording recording{.names = {"device", "pinned"}};

  MemoryMade& change(std::int64_t seconds, std::int64_t address, std::int64_t bytes, bool is_freed,
                     std::uint32_t kind = 0, std::int64_t process = 1) {
    recording.memory.push_back({.process = process,
                                .time = seconds * one_second,
                                .device = 2,
                                .is_freed = is_freed,
                                .kind = kind,
                                .address = address,
                                .bytes = bytes});
    return *this;
  }
  MemoryMade& take(std::int64_t seconds, std::int64_t address, std::int64_t bytes) {
    return change(seconds, address, bytes, false);
  }
  MemoryMade& free(std::int64_t seconds, std::int64_t address) {
    return change(seconds, address, 0, true);
  }
};

TEST(HeldMemory, PeakAndRest) {
  MemoryMade made;
  made.take(1, 100, 10).take(2, 200, 20).free(3, 100).take(4, 100, 5).free(5, 200);
  const auto held = held_memory(made.recording);
  ASSERT_THAT(held, SizeIs(1));
  EXPECT_EQ(held[0].kind, "device");
  EXPECT_EQ(held[0].device, 2U);
  EXPECT_EQ(held[0].allocations, 3);
  EXPECT_EQ(held[0].peak_bytes, 30);
  EXPECT_EQ(held[0].peak_seconds, 2);
  EXPECT_EQ(held[0].last_bytes, 5);
  EXPECT_THAT(held[0].steps,
              ElementsAre(Pair(1, 10), Pair(2, 30), Pair(3, 20), Pair(4, 25), Pair(5, 5)));
}

TEST(HeldMemory, WhatWasAllocatedBeforeIsNotKnown) {
  MemoryMade made;
  made.free(1, 300);
  EXPECT_THAT(held_memory(made.recording), IsEmpty());
  made.take(2, 100, 10);
  EXPECT_EQ(held_memory(made.recording).at(0).last_bytes, 10);
}

TEST(HeldMemory, IsApartByProcessAndKind) {
  MemoryMade made;
  made.take(1, 100, 10).change(2, 100, 40, false, 1).change(3, 100, 70, false, 0, 9);
  const auto held = held_memory(made.recording);
  ASSERT_THAT(held, SizeIs(3));
  EXPECT_EQ(held[0].process, 9);
  EXPECT_EQ(held[0].peak_bytes, 70);
  EXPECT_EQ(held[1].kind, "pinned");
  EXPECT_EQ(held[2].peak_bytes, 10);
}

}  // namespace
}  // namespace benanza
