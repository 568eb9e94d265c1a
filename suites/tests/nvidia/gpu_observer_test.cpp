#include "suites/nvidia/device/gpu_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace benanza::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr unsigned own = 7;
/// A clock that stands still, so that no query seems slow, however busy the machine is.
const auto still = [] { return 0.0; };

/// Returns the values that the test sets; empty if unset.
struct FakeManagement : Management {
  std::optional<double> sm, memory, watts, celsius, utilization;
  std::optional<std::uint64_t> reasons;
  std::optional<std::vector<unsigned>> processes;
  std::optional<std::vector<ProcessUse>> use;
  std::function<void()> on_power = [] {};
  int power_questions = 0;

  std::optional<std::string> driver_version() override { return std::nullopt; }
  std::optional<double> power_limit_watts() override { return std::nullopt; }
  std::optional<double> sm_clock_mhz() override { return sm; }
  std::optional<double> memory_clock_mhz() override { return memory; }
  std::optional<std::uint64_t> clock_reasons() override { return reasons; }
  std::optional<double> power_watts() override {
    ++power_questions;
    on_power();
    return watts;
  }
  std::optional<double> energy_joules() override { return std::nullopt; }
  std::optional<double> temperature_celsius() override { return celsius; }
  std::optional<double> utilization_percent() override { return utilization; }
  std::optional<std::vector<unsigned>> compute_processes() override { return processes; }
  std::optional<std::vector<ProcessUse>> process_use() override { return use; }
};

struct Gpu : testing::Test {
  harness::Conditions watch() {
    GpuObserver observer(management, own, still);
    observer.begin();
    return observer.end();
  }
  std::vector<std::string> disturbances() { return watch().disturbances; }
  FakeManagement management;
};

TEST_F(Gpu, ThatSaysNothingIsUnknownAndUndisturbed) {
  const harness::Conditions conditions = watch();
  EXPECT_THAT(conditions.facts, IsEmpty());
  EXPECT_THAT(conditions.disturbances, IsEmpty());
}

TEST_F(Gpu, ClocksBeforeAndAfterPowerAndTemperature) {
  management.sm = 345;
  management.memory = 3201;
  management.watts = 612.5;
  management.celsius = 61;
  GpuObserver observer(management, own, still);
  observer.begin();
  management.sm = 1980;
  const Facts facts = observer.end().facts;
  const auto number = [&](const char* name) { return std::get<double>(facts.at(name)); };
  EXPECT_EQ(number("sm_clock_mhz_before"), 345);
  EXPECT_EQ(number("sm_clock_mhz_after"), 1980);
  EXPECT_EQ(number("memory_clock_mhz_before"), 3201);
  EXPECT_EQ(number("memory_clock_mhz_after"), 3201);
  EXPECT_EQ(number("power_w"), 612.5);
  EXPECT_EQ(number("temperature_c"), 61);
  EXPECT_EQ(facts.size(), 6U);
}

TEST_F(Gpu, IdleAndApplicationsClocksAreNoDisturbance) {
  management.reasons = clock_reason::idle | clock_reason::applications_clocks;
  const harness::Conditions conditions = watch();
  EXPECT_EQ(std::get<std::string>(conditions.facts.at("clock_reasons")),
            "applications clocks, idle");
  EXPECT_THAT(conditions.disturbances, IsEmpty());
}

TEST_F(Gpu, ThrottlingIsADisturbance) {
  management.reasons = clock_reason::power_cap | clock_reason::idle;
  EXPECT_THAT(disturbances(), ElementsAre("power cap"));
  for (const std::uint64_t reason :
       {clock_reason::hardware_slowdown, clock_reason::software_thermal,
        clock_reason::hardware_thermal, clock_reason::power_brake}) {
    management.reasons = reason;
    EXPECT_THAT(disturbances(), ElementsAre(clock_reason_names(reason)));
  }
}

TEST_F(Gpu, ThrottlingAtEitherEndCounts) {
  management.reasons = clock_reason::software_thermal;
  GpuObserver observer(management, own, still);
  observer.begin();
  management.reasons = 0;
  const harness::Conditions hot = observer.end();
  EXPECT_THAT(hot.disturbances, ElementsAre("software thermal slowdown"));
  EXPECT_FALSE(hot.company) << "the device's own limit";
}

TEST_F(Gpu, AnotherProcessIsCompany) {
  management.processes = {own};
  EXPECT_EQ(std::get<double>(watch().facts.at("other_gpu_processes")), 0);
  EXPECT_THAT(disturbances(), IsEmpty());
  management.processes = {own, 8};
  EXPECT_EQ(std::get<double>(watch().facts.at("other_gpu_processes")), 1);
  EXPECT_THAT(disturbances(), ElementsAre("another process on the GPU"));
}

TEST_F(Gpu, WhatThisProcessStartedIsNoCompany) {
  management.processes = {own, 8, 9};
  GpuObserver observer(management, own, still);
  observer.add_own_processes(2);
  observer.begin();
  EXPECT_EQ(std::get<double>(observer.end().facts.at("other_gpu_processes")), 0);
  // Not all of our own processes have been started yet.
  management.processes = {own, 8};
  observer.begin();
  EXPECT_EQ(std::get<double>(observer.end().facts.at("other_gpu_processes")), 0);
}

// As in a container whose processes have other ids outside.
TEST_F(Gpu, OneOfTheProcessesIsThisOneWhateverItsNumber) {
  management.processes = {123};
  EXPECT_THAT(disturbances(), IsEmpty());
  management.processes = {123, 124};
  EXPECT_THAT(disturbances(), ElementsAre("another process on the GPU"));
}

TEST_F(Gpu, ADriverThatHidesProcessesSaysNothingOfCompany) {
  management.processes = std::vector<unsigned>{};
  EXPECT_THAT(watch().facts, IsEmpty());
}

TEST_F(Gpu, AProcessThatOnlyHoldsMemoryIsNoDisturbance) {
  management.processes = {own, 8};
  management.use = {{.process = own, .percent = 90}, {.process = 8, .percent = 0}};
  EXPECT_EQ(std::get<double>(watch().facts.at("other_gpu_processes")), 1);
  EXPECT_THAT(disturbances(), IsEmpty());
  management.use->back().percent = 1;
  EXPECT_THAT(disturbances(), ElementsAre("another process on the GPU"));
}

TEST_F(Gpu, BetweenTheDriversLooksItsLastAnswerHolds) {
  management.processes = {own, 8};
  management.use = {{.process = own, .percent = 90}, {.process = 8, .percent = 0}};
  GpuObserver observer(management, own, still);
  observer.begin();
  management.use = std::vector<Management::ProcessUse>{};
  EXPECT_THAT(observer.end().disturbances, IsEmpty());
}

TEST_F(Gpu, SaysWhatTheDeviceDidBefore) {
  management.utilization = 35;
  management.processes = {own, 8, 9};
  const GpuObserver observer(management, own, still);
  EXPECT_THAT(observer.at_start(), ElementsAre(Pair("gpu_utilization_before_percent", "35"),
                                               Pair("other_gpu_processes_before", "2")));
}

// Reading the power takes 5 ms, so it is read once in two seconds.
TEST_F(Gpu, WhatIsSlowToAnswerIsAskedRarely) {
  double seconds = 0;
  management.watts = 400;
  management.on_power = [&] { seconds += 5e-3; };
  GpuObserver observer(management, own, [&] { return seconds; });
  int known = 0;
  for (int row = 0; row < 300; ++row, seconds += 10e-3) {
    observer.begin();
    known += static_cast<int>(observer.end().facts.count("power_w"));
  }
  EXPECT_EQ(management.power_questions, known);
  // 300 rows in 3 s: at 0 and 2.005 s.
  EXPECT_EQ(known, 2);
}

TEST(Management, IsAbsentWhereThereIsNoGpu) {
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  EXPECT_EQ(open_management(0), nullptr);
}

}  // namespace
}  // namespace benanza::nvidia
