#include "suites/harness/measure/host_stopwatch.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

class SleepingPrimitive : public FakePrimitive {
 public:
  SleepingPrimitive() : FakePrimitive(1) {}
  void run() override {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  int runs = 0;
};

TEST(HostStopwatch, TimesTheCallsAndTheWaitForThem) {
  SleepingPrimitive primitive;
  int finished = 0;
  HostStopwatch stopwatch([&] {
    ++finished;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const double seconds = stopwatch.time(primitive, 3);
  EXPECT_EQ(primitive.runs, 3);
  EXPECT_EQ(finished, 1);
  EXPECT_GE(seconds, 0.011);
  EXPECT_LT(seconds, 11);  // milliseconds would be larger
}

TEST(HostStopwatch, AColdRunIsOneCall) {
  SleepingPrimitive primitive;
  HostStopwatch stopwatch;
  EXPECT_GE(stopwatch.time_cold(primitive), 0.002);
  EXPECT_EQ(primitive.runs, 1);
}

/// Two threads on one processor: each has to wait for the other.
TEST(HostStopwatch, KnowsThatAnotherThreadTookTheProcessor) {
  struct Spinning final : FakePrimitive {
    Spinning() : FakePrimitive(1) {}
    void run() override {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
  } primitive;
  HostStopwatch stopwatch;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(CacheFlush::of_this_machine().processors.front()), &one);
    ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    std::atomic<bool> done = false;
    std::thread other([&] {
      while (!done) {
      }
    });
    stopwatch.time(primitive, 1);
    done = true;
    other.join();
  }).join();
  EXPECT_TRUE(stopwatch.was_interrupted());
}

TEST(HostStopwatch, FlushesEnoughForTheLastLevelCache) {
  const CacheFlush flush = CacheFlush::of_this_machine();
  EXPECT_GE(flush.processors.size(), 1U);
  EXPECT_GE(flush.bytes_per_processor, std::size_t{1} << 16);
}

}  // namespace
}  // namespace benanza::harness
