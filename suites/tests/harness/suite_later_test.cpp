// The program of a suite: the order of rows, and what is added when everything is timed.
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

/// The rows' facts of this name, ordered by the rows' names.
std::vector<Json> facts(const Json& rows, const char* fact) {
  std::map<std::string, Json> sorted;
  for (const Json& row : rows) {
    sorted[row.at("name").get<std::string>() + row.at("repetition_index").dump()] =
        row.value(fact, Json());
  }
  std::vector<Json> values;
  for (const auto& [name, value] : sorted) values.push_back(value);
  return values;
}

TEST_F(Suite, ARowSaysThatNoOtherAlgorithmWasAskedFor) {
  const std::vector<std::string> all{"--problem=relu/1x8", "--layout=nchw", out_flag()};
  std::vector<std::string> best = all;
  best.push_back("--algorithms=best");
  EXPECT_EQ(run(best).status, 0);
  const Json samples = rows().at(0).at("samples");
  EXPECT_THAT(facts(rows(), "first_choice"), ElementsAre(true));
  // Another algorithm is added; the first is not measured again.
  EXPECT_EQ(run(all).status, 0);
  EXPECT_THAT(facts(rows(), "first_choice"), ElementsAre(Json(), Json()));
  EXPECT_EQ(rows().at(0).at("samples"), samples);
}

/// The rows' algorithms, in the order of measuring.
std::vector<std::string> suite_later_algorithms(const Json& rows) {
  std::vector<std::string> names;
  for (const Json& row : rows) {
    const auto name = row.at("name").get<std::string>();
    names.push_back(name.substr(name.rfind('/') + 1));
  }
  return names;
}

/// How often `text` contains `part`.
int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(Suite, WhatIsNotReadyIsMeasuredLater) {
  const auto measure = [&](const char* late, const char* repetitions) {
    return run_program({.arguments = {"--problem=relu/1x8", "--layout=nchw", "--fresh", out_flag(),
                                      "--benchmark_repetitions=" + std::string(repetitions)},
                        .environment = {{"FAKE_LATE", late}}});
  };
  EXPECT_EQ(measure("0", "1").status, 0);
  EXPECT_THAT(suite_later_algorithms(rows()), ElementsAre("direct", "strided"));
  const auto once = measure("1", "1");
  EXPECT_EQ(once.status, 0);
  EXPECT_THAT(suite_later_algorithms(rows()), ElementsAre("strided", "direct"));
  EXPECT_THAT(once.err, HasSubstr("2 variants: 2 ok"));
  // One header, and a line for each row.
  EXPECT_EQ(count(once.out, "Benchmark "), 1);
  EXPECT_EQ(count(once.out, "relu/1x8"), 2);
  EXPECT_THAT(once.out, Not(HasSubstr("not ready")));
  // Waited for if nothing else is left.
  EXPECT_EQ(measure("1000", "1").status, 0);
  EXPECT_THAT(suite_later_algorithms(rows()), ElementsAre("strided", "direct"));
  EXPECT_EQ(measure("1", "2").status, 0);
  EXPECT_EQ(rows().size(), 4U);
}

// Both calls of the first problem take longer than nothing, so that its second one is left out.
TEST_F(Suite, AProblemThatHasTakenTooLongIsLeft) {
  const auto done = run({"--problem=relu/1x8", "--problem=relu/2x8", "--layout=nchw",
                         "--problem-limit=0", out_flag()});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(facts(rows(), "status"), ElementsAre("ok", "unsupported", "ok", "unsupported"));
  EXPECT_THAT(done.err, HasSubstr("4 variants: 2 ok"));
  for (const Json& row : rows()) {
    if (row.at("status") == "ok") continue;
    EXPECT_THAT(row.at("error_message").get<std::string>(),
                HasSubstr("the problem has taken more than 0 s (--problem-limit)"));
    EXPECT_EQ(row.at("over_limit"), true);
  }
}

TEST_F(Suite, RowsWithCompanyAreTakenOnceMoreAtTheEnd) {
  const auto measure = [&](const char* company) {
    return run_program({.arguments = {"--problem=relu/1x8", "--layout=nchw", "--algorithms=best",
                                      "--benchmark_repetitions=2", "--fresh", out_flag()},
                        .environment = {{"FAKE_COMPANY", company}}});
  };
  // The first repetition is measured twice in vain, then the second one, then the first again.
  const auto short_company = measure("2");
  EXPECT_EQ(short_company.status, 0);
  EXPECT_THAT(facts(rows(), "disturbed"), ElementsAre(Json(), Json()));
  EXPECT_THAT(short_company.err, Not(HasSubstr("disturbed")));
  // A machine that is busy all the time.
  EXPECT_THAT(measure("100").err, HasSubstr("2 ok (2 disturbed)"));
  EXPECT_EQ(Json::parse(read_file(file)).at("context").at("primitives_made"), "2");
}

TEST_F(Suite, EnergyOfTheFastestVariantAfterTheTimes) {
  const std::vector<std::string> arguments{"--problem=relu/1x8", "--layout=nchw",
                                           "--benchmark_repetitions=2", out_flag(), "--energy=0.1"};
  const std::map<std::string, std::string> metered{{"FAKE_ENERGY", "1"}};
  EXPECT_EQ(run_program({.arguments = arguments, .environment = metered}).status, 0);
  // 50 W for 100 us; the other variant takes 250 us.
  const std::vector<Json> found = facts(rows(), "energy_joules");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_NEAR(found[0].get<double>(), 5e-3, 1e-9);
  EXPECT_NEAR(found[1].get<double>(), 5e-3, 1e-9);
  EXPECT_EQ(found[2], Json());
  EXPECT_THAT(facts(rows(), "energy_source"), ElementsAre("fake", "fake", Json(), Json()));
  // Once only.
  const std::string written = read_file(file);
  EXPECT_EQ(run_program({.arguments = arguments, .environment = metered}).status, 0);
  EXPECT_EQ(read_file(file), written);
}

TEST_F(Suite, AMeterThatDoesNotAdvanceIsNotZeroJoules) {
  EXPECT_EQ(run_program({.arguments = {"--problem=relu/1x8", "--layout=nchw", "--algorithms=best",
                                       out_flag(), "--energy=0.1"},
                         .environment = {{"FAKE_ENERGY", "stuck"}}})
                .status,
            0);
  EXPECT_THAT(facts(rows(), "energy_joules"), ElementsAre(Json()));
  EXPECT_THAT(facts(rows(), "energy_failed"),
              ElementsAre("the meter did not advance; give --energy more seconds"));
}

TEST_F(Suite, WithoutAMeterThereIsNoEnergy) {
  expect_error(run({"--problem=relu/1x8", "--energy"}), "no energy counter");
  expect_error(run({"--problem=relu/1x8", "--energy", "--cold"}), "leave --cold out");
  expect_error(run({"--problem=relu/1x8", "--energy=x"}), "--energy=x: give seconds");
}

TEST_F(Suite, ProfilesWhenNothingIsLeftToTime) {
  const Finished finished = run_program({.arguments = {"--problem=relu/1x8", "--layout=nchw",
                                                       "--benchmark_repetitions=2", out_flag()},
                                         .environment = {{"FAKE_PROFILE", "kernels"}}});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(facts(rows(), "profiles_before"), ElementsAre(0.0, 0.0, 0.0, 0.0));
  EXPECT_THAT(facts(rows(), "kernel_names"),
              ElementsAre("relu_kernel", "relu_kernel", Json(), Json()));
  EXPECT_THAT(facts(rows(), "profile_failed"),
              ElementsAre(Json(), Json(), "the profiler gave up", "the profiler gave up"));
}

TEST_F(Suite, ProfilesRowsThatWereMeasuredWithoutAndThoseOnlyOnce) {
  const std::vector<std::string> arguments{"--problem=relu/1x8", "--layout=nchw",
                                           "--algorithms=best", out_flag()};
  EXPECT_EQ(run(arguments).status, 0);
  const Json samples = rows().at(0).at("samples");
  EXPECT_THAT(facts(rows(), "kernel_names"), ElementsAre(Json()));
  const std::map<std::string, std::string> profiling{{"FAKE_PROFILE", "kernels"}};
  EXPECT_EQ(run_program({.arguments = arguments, .environment = profiling}).status, 0);
  EXPECT_THAT(facts(rows(), "kernel_names"), ElementsAre("relu_kernel"));
  EXPECT_THAT(facts(rows(), "profiled"), ElementsAre("kernels"));
  EXPECT_EQ(rows().at(0).at("samples"), samples);
  const std::string written = read_file(file);
  EXPECT_EQ(run_program({.arguments = arguments, .environment = profiling}).status, 0);
  EXPECT_EQ(read_file(file), written);
}

}  // namespace
}  // namespace benanza::harness
