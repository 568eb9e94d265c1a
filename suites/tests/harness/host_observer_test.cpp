#include "suites/harness/conditions/host_observer.h"

#include <gmock/gmock.h>

#include "core/tests/folder.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/run/runner.h"
#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A fake machine of four processors, of which this process may use 1 and 3.
struct Host : ::testing::Test {
  /// Ticks of each of these two since boot; the other two are always busy.
  void write(int user, int idle, int steal, int own) const {
    const std::string mine = std::to_string(user) + " 0 0 " + std::to_string(idle) + " 0 0 0 " +
                             std::to_string(steal) + " 0 0\n";
    folder.write("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 99999 0 0 0 0 0 0 0 0 0\ncpu1 " +
                                  mine + "cpu2 99999 0 0 0 0 0 0 0 0 0\ncpu3 " + mine + "intr 0\n");
    folder.write("proc/self/stat",
                 "12 (a) b) R 1 1 1 0 -1 4194304 100 0 0 0 " + std::to_string(own) + " 2 0 0 20 0");
  }
  void SetUp() override { write(0, 100, 0, 0); }

  test::Folder folder;
  // The clock stands still, so that no query takes long, however busy the machine is.
  HostObserver observer{{1, 3}, folder.path(), [] { return 0.0; }};
};

double number(const Conditions& conditions, const std::string& name) {
  return std::get<double>(conditions.facts.at(name));
}

// Half a second of both: 50 ticks each, all used by this process.
TEST_F(Host, AloneIsUndisturbed) {
  observer.begin();
  write(50, 100, 0, 100);
  const Conditions conditions = observer.end();
  EXPECT_THAT(conditions.disturbances, IsEmpty());
  EXPECT_EQ(number(conditions, "steal_percent"), 0);
  EXPECT_EQ(number(conditions, "other_processors"), 0);
}

TEST_F(Host, AVirtualMachineIsNamed) {
  const auto is_named = [&](const std::string& flags) {
    folder.write("proc/cpuinfo",
                 "processor\t: 1\nflags\t\t: fpu " + flags + " sse\nprocessor\t: 3\n");
    HostObserver fresh{{1, 3}, folder.path(), [] { return 0.0; }};
    fresh.begin();
    return fresh.end().facts.contains("virtual_machine");
  };
  EXPECT_TRUE(is_named("hypervisor"));
  EXPECT_FALSE(is_named("vme"));
}

// 6 of 60 ticks on each.
TEST_F(Host, StealFromFivePercentOnIsADisturbance) {
  observer.begin();
  write(54, 100, 6, 108);
  const Conditions stolen = observer.end();
  EXPECT_THAT(stolen.disturbances, ElementsAre("steal 10%"));
  EXPECT_TRUE(stolen.company);
  observer.begin();
  write(54 + 98, 100, 6 + 2, 108 + 196);
  EXPECT_THAT(observer.end().disturbances, IsEmpty());
}

// Of 2 x 50 ticks, 40 belong to this process and 50 to another: one whole processor.
TEST_F(Host, OtherProcessesAreADisturbance) {
  observer.begin();
  write(45, 105, 0, 40);
  const Conditions conditions = observer.end();
  EXPECT_THAT(conditions.disturbances, ElementsAre("other processes on 1.0 processors"));
  EXPECT_EQ(number(conditions, "other_processors"), 1);
}

// 0.28 processors: 14 of 100 ticks. The limit for two is 0.25 + 2 * 0.02.
TEST_F(Host, ALittleOfOthersIsNone) {
  observer.begin();
  write(50, 100, 0, 86);
  const Conditions conditions = observer.end();
  EXPECT_THAT(conditions.disturbances, IsEmpty());
  EXPECT_EQ(number(conditions, "other_processors"), 0.28);
}

// 0.1 s alone is too short to judge, but not together with the preceding 0.4 s.
TEST_F(Host, AShortTimingIsJudgedWithWhatWasBefore) {
  observer.begin();
  write(10, 100, 0, 20);
  EXPECT_THAT(observer.end().facts, IsEmpty());
  write(40, 100, 0, 40);
  observer.begin();
  write(50, 100, 0, 60);
  const Conditions conditions = observer.end();
  // 100 ticks, 60 of them used by this process.
  EXPECT_EQ(number(conditions, "other_processors"), 0.8);
}

TEST_F(Host, WhatTheMachineDoesNotTellStaysUnknown) {
  folder.write("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
  observer.begin();
  const Conditions conditions = observer.end();
  EXPECT_THAT(conditions.facts, IsEmpty());
  EXPECT_THAT(conditions.disturbances, IsEmpty());
}

TEST_F(Host, ClocksOfItsProcessorsBeforeAndAfter) {
  folder.write("proc/cpuinfo",
               "processor\t: 0\ncpu MHz\t\t: 9000\n\nprocessor\t: 1\ncpu MHz\t\t: 2000.4\n\n"
               "processor\t: 3\ncpu MHz\t\t: 3000\n");
  observer.begin();
  for (const char* name : {"cpu1", "cpu3"}) {
    folder.write("sys/devices/system/cpu/" + std::string(name) + "/cpufreq/scaling_cur_freq",
                 "3500000\n");
  }
  const Conditions conditions = observer.end();
  EXPECT_EQ(number(conditions, "cpu_clock_mhz_before"), 2500);
  EXPECT_EQ(number(conditions, "cpu_clock_mhz_after"), 3500);
}

TEST(HostObserver, OfThisMachineDoesNotThrow) {
  HostObserver observer({0});
  observer.begin();
  EXPECT_NO_THROW(observer.end());
}

// The clock advances by a millisecond per query: each takes that long and then rests for 0.1 s.
TEST(Pace, WhatTakesLongIsAskedRarely) {
  double seconds = 0;
  Pace pace([&] { return seconds; });
  int asked = 0;
  const auto question = [&]() -> std::optional<int> {
    seconds += 1e-3;
    return ++asked;
  };
  EXPECT_EQ(pace.ask(question), 1);
  seconds += 0.09;
  EXPECT_EQ(pace.ask(question), std::nullopt);
  seconds += 0.02;
  EXPECT_EQ(pace.ask(question), 2);
}

TEST(Pace, WhatTakesNoTimeIsAlwaysAsked) {
  Pace pace([] { return 1.0; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pace.ask([&] { return std::optional(i); }), i);
}

/// Returns the script's conditions, one timing after another.
class ScriptedObserver : public Observer {
 public:
  explicit ScriptedObserver(std::vector<Conditions> script) : script_(std::move(script)) {}
  void begin() override { ++begun; }
  Conditions end() override { return script_.at(ended++); }
  std::size_t begun = 0;
  std::size_t ended = 0;

 private:
  std::vector<Conditions> script_;
};

struct Watched : FakeBackend {
  explicit Watched(std::vector<Conditions> script) : FakeBackend("1"), watch(std::move(script)) {}
  Observer* observer() override { return &watch; }
  Row row() {
    const Variant variant{parse("relu/8"), Precision::fp32, Layout::plain, "direct"};
    const auto agrees = [](Primitive&, const Variant&, const Traits&) { return std::nullopt; };
    return make_row("relu/8/fp32/plain/fake/direct", 0, {},
                    run_variant(*this, variant, agrees, {}));
  }
  ScriptedObserver watch;
};

const Conditions calm{.facts = {{"steal_percent", 0.0}}};
const Conditions shared{.facts = {{"steal_percent", 20.0}}, .disturbances = {"steal 20%", "heat"}};

TEST(Disturbed, NotAtAll) {
  Watched backend({calm});
  const Row row = backend.row();
  EXPECT_EQ(backend.watch.begun, 1U);
  EXPECT_EQ(std::get<double>(facts_of(row).at("steal_percent")), 0);
  EXPECT_EQ(row.data, "random, 4 bits");
  EXPECT_FALSE(row.is_disturbed());
  EXPECT_FALSE(row.measured_again);
}

TEST(Disturbed, OnceIsMeasuredAgain) {
  Watched backend({shared, calm});
  const Row row = backend.row();
  EXPECT_EQ(backend.watch.ended, 2U);
  EXPECT_TRUE(row.measured_again);
  EXPECT_EQ(std::get<double>(facts_of(row).at("steal_percent")), 0);
  EXPECT_FALSE(row.is_disturbed());
}

TEST(Disturbed, TwiceIsMarkedInTheRow) {
  Watched backend({shared, shared});
  const Row row = backend.row();
  EXPECT_EQ(row.disturbed, "steal 20%, heat");
  EXPECT_EQ(row.company, false);
}

}  // namespace
}  // namespace benanza::harness
