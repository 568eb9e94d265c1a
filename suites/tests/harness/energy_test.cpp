#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/tests/folder.h"
#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/measure/energy.h"
#include "suites/harness/run/fastest.h"
#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using testing::ElementsAre;

struct Powercap : testing::Test {
  void write(const std::string& zone, const char* name, const std::string& text) {
    const auto path = folder / "sys/class/powercap" / zone;
    std::filesystem::create_directories(path);
    write_file(path / name, text + "\n");
  }
  void package(const std::string& zone, const std::string& name, const std::string& microjoules) {
    write(zone, "name", name);
    write(zone, "energy_uj", microjoules);
    write(zone, "max_energy_range_uj", "1000000000");
  }
  test::Folder folder;
};

TEST_F(Powercap, AddsPackagesAndTheirWraps) {
  package("intel-rapl:0", "package-0", "999000000");
  package("intel-rapl:1", "package-1", "5000000");
  package("intel-rapl:0:0", "core", "0");
  RaplMeter meter(folder.path());
  ASSERT_TRUE(meter.is_available());
  EXPECT_EQ(meter.joules(), 0.0);
  // 1 J until the wrap and 2 J after it; 3 J; the part of a package does not count.
  package("intel-rapl:0", "package-0", "2000000");
  package("intel-rapl:1", "package-1", "8000000");
  package("intel-rapl:0:0", "core", "700000000");
  EXPECT_DOUBLE_EQ(*meter.joules(), 6.0);
}

TEST_F(Powercap, IsNotThereWithoutPackages) {
  EXPECT_FALSE(RaplMeter(folder.path()).is_available());
  package("intel-rapl:0", "psys", "1");
  EXPECT_FALSE(RaplMeter(folder.path()).is_available());
  write("intel-rapl:1", "name", "package-1");
  EXPECT_FALSE(RaplMeter(folder.path()).is_available());
  EXPECT_EQ(RaplMeter(folder.path()).joules(), std::nullopt);
}

TEST(MeasureEnergy, OfAWindowAfterThePowerHasSettled) {
  FakeStopwatch stopwatch({});
  FakeMeter meter(stopwatch);
  FakePrimitive primitive(8);
  const auto energy = measure_energy(primitive, stopwatch, meter, 0.2);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->joules_per_call, 50 * 100e-6, 1e-9);
  EXPECT_GE(stopwatch.total_seconds(), 0.25);
  EXPECT_LT(stopwatch.total_seconds(), 0.4);
}

TEST(FastestVariants, AreThoseWithinFivePercent) {
  const auto row = [](const std::string& name, std::int64_t repetition, double seconds) {
    return Row{.variant = parse_variant_name(name),
               .repetition = repetition,
               .samples = {seconds, seconds}};
  };
  std::vector<Row> rows{
      row("relu/8/fp32/plain/a/one", 0, 1.00),
      // One repetition that stalled.
      row("relu/8/fp32/plain/a/one", 1, 9.00), row("relu/8/fp32/plain/a/one", 2, 1.00),
      row("relu/8/fp32/plain/a/two", 0, 1.04), row("relu/8/fp32/plain/a/three", 0, 1.06),
      row("relu/8/bf16/plain/a/one", 0, 2.00)};
  rows.push_back(row("tanh/8/fp32/plain/a/one", 0, 0));
  rows.back().status = Status::failed;
  rows.back().samples.clear();
  EXPECT_THAT(
      fastest_variants(rows),
      ElementsAre("relu/8/bf16/plain/a/one", "relu/8/fp32/plain/a/one", "relu/8/fp32/plain/a/two"));
}

TEST(FastestVariants, CompanyCountsWhereThereIsNothingElse) {
  const auto row = [](const std::string& name, std::int64_t repetition, double seconds,
                      bool has_company) {
    Row made{.variant = parse_variant_name(name), .repetition = repetition, .samples = {seconds}};
    if (has_company) made.disturbed = "steal 12%";
    made.company = has_company;
    return made;
  };
  const std::vector<Row> rows{
      row("relu/8/fp32/plain/a/one", 0, 1, false), row("relu/8/fp32/plain/a/one", 1, 3, true),
      row("relu/8/fp32/plain/a/one", 2, 3, true), row("relu/8/fp32/plain/a/two", 0, 2, false),
      row("relu/8/fp32/plain/a/three", 0, 1.01, true)};
  EXPECT_THAT(fastest_variants(rows),
              ElementsAre("relu/8/fp32/plain/a/one", "relu/8/fp32/plain/a/three"));
}

}  // namespace
}  // namespace benanza::harness
