#include "record/views/tau.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "core/base/error.h"
#include "core/tests/folder.h"

namespace benanza {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// Reads a file as TAU's pprof does: names are in quotation marks, numbers follow.
TauThread tau_read(const std::filesystem::path& path) {
  std::ifstream file(path);
  TauThread thread;
  std::string line;
  const auto name_of = [&] { return line.substr(1, line.find('"', 1) - 1); };
  const auto numbers = [&] { return line.c_str() + line.find('"', 1) + 1; };
  std::getline(file, line);
  int timers = 0;
  char version[64] = "";
  EXPECT_EQ(std::sscanf(line.c_str(), "%d %63s", &timers, version), 2);
  EXPECT_STREQ(version, "templated_functions_MULTI_TIME");
  std::getline(file, line);
  EXPECT_THAT(line, testing::StartsWith("# Name Calls Subrs Excl Incl ProfileCalls # <metadata>"));
  for (int i = 0; i < timers; ++i) {
    std::getline(file, line);
    TauThread::Timer timer;
    double profile_calls = -1;
    EXPECT_EQ(
        std::sscanf(numbers(), "%lG %lG %lG %lG %lG", &timer.calls, &timer.calls_inside,
                    &timer.exclusive_microseconds, &timer.inclusive_microseconds, &profile_calls),
        5);
    EXPECT_EQ(profile_calls, 0);
    timer.group = line.substr(line.find("GROUP=\"") + 7);
    timer.group.pop_back();
    thread.timers.emplace(name_of(), timer);
  }
  std::getline(file, line);
  EXPECT_EQ(line, "0 aggregates");
  int events = 0;
  if (std::getline(file, line)) {
    EXPECT_EQ(std::sscanf(line.c_str(), "%d userevents", &events), 1);
    std::getline(file, line);
    EXPECT_EQ(line, "# eventname numevents max min mean sumsqr");
  }
  for (int i = 0; i < events; ++i) {
    std::getline(file, line);
    TauThread::Event event;
    double mean = 0;
    EXPECT_EQ(std::sscanf(numbers(), "%lG %lG %lG %lG %lG", &event.count, &event.largest,
                          &event.smallest, &mean, &event.sum_of_squares),
              5);
    event.sum = mean * event.count;
    thread.events.emplace(name_of(), event);
  }
  EXPECT_FALSE(std::getline(file, line));
  return thread;
}

/// A step of 100 us: two launches, and on the device two kernels of 30 and 10 us and a copy.
std::filesystem::path recording(const test::Folder& folder) {
  const auto path = folder.path() / "run.db";
  RecordingWriter writer(path, {.start = 0.0});
  const auto add = [&](const Event& event) { writer.add(5, 0.0, event); };
  add(ClockEvent{});
  add(MarkerEvent{
      .kind = MarkerEvent::Kind::begin, .id = 1, .time = 0, .thread = 6, .name = "the \"step\""});
  add(MarkerEvent{.kind = MarkerEvent::Kind::end, .id = 1, .time = 100'000, .thread = 6});
  for (std::uint32_t launch = 1; launch <= 2; ++launch) {
    add(ApiEvent{.name = "cudaLaunchKernel",
                 .start = 10'000 * launch,
                 .end = 10'000 * launch + 4'000,
                 .thread = 6,
                 .correlation = launch});
  }
  add(ApiEvent{
      .name = "cuLaunchKernel", .start = 11'000, .end = 12'000, .thread = 6, .correlation = 1});
  add(KernelEvent{.at = {.start = 20'000, .end = 50'000, .stream = 7, .correlation = 1},
                  .name = "a"});
  add(KernelEvent{.at = {.start = 60'000, .end = 70'000, .stream = 7, .correlation = 2},
                  .name = "a"});
  for (const std::uint64_t bytes : {100, 300}) {
    add(CopyEvent{.at = {.start = 70'000, .end = 80'000, .stream = 7},
                  .direction = "host to device",
                  .bytes = bytes});
  }
  writer.add({.text = {.kind = "matmul"}, .milliseconds = 2});
  writer.add({.text = {.kind = "matmul", .problem = "x"}, .milliseconds = 1});
  writer.finish(1, 0);
  return path;
}

TEST(Tau, WhatIsWrittenIsReadBack) {
  const test::Folder folder;
  const RecordingReader reader(recording(folder));
  const auto out = folder.path() / "tau";
  write_tau(reader, out);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    files.push_back(entry.path().filename());
  }
  EXPECT_THAT(files, UnorderedElementsAre("profile.0.0.0", "profile.1.0.0", "profile.1.0.1"));

  const TauThread calls = tau_read(out / "profile.0.0.0");
  EXPECT_DOUBLE_EQ(calls.timers.at("matmul").exclusive_microseconds, 3000);
  EXPECT_EQ(calls.timers.at("matmul").calls, 2);
  EXPECT_DOUBLE_EQ(calls.timers.at(".TAU application").inclusive_microseconds, 1e6);
  EXPECT_DOUBLE_EQ(calls.timers.at(".TAU application").exclusive_microseconds, 1e6 - 3000);

  const TauThread host = tau_read(out / "profile.1.0.0");
  ASSERT_THAT(host.timers, SizeIs(4));
  const auto& step = host.timers.at("the 'step'");
  EXPECT_EQ(step.calls, 1);
  EXPECT_EQ(step.calls_inside, 2);
  EXPECT_DOUBLE_EQ(step.exclusive_microseconds, 92);
  EXPECT_DOUBLE_EQ(step.inclusive_microseconds, 100);
  EXPECT_EQ(step.group, "NVTX");
  const auto& launch = host.timers.at("cudaLaunchKernel");
  EXPECT_EQ(launch.calls_inside, 1);
  EXPECT_DOUBLE_EQ(launch.exclusive_microseconds, 7);
  EXPECT_DOUBLE_EQ(launch.inclusive_microseconds, 8);
  EXPECT_DOUBLE_EQ(host.timers.at(".TAU application").exclusive_microseconds, 0);

  const TauThread stream = tau_read(out / "profile.1.0.1");
  EXPECT_EQ(stream.timers.at("a").calls, 2);
  EXPECT_DOUBLE_EQ(stream.timers.at("a").inclusive_microseconds, 40);
  EXPECT_DOUBLE_EQ(stream.timers.at(".TAU application").inclusive_microseconds, 60);
  EXPECT_DOUBLE_EQ(stream.timers.at(".TAU application").exclusive_microseconds, 10);
  const auto& bytes = stream.events.at("Bytes copy host to device");
  EXPECT_EQ(bytes.count, 2);
  EXPECT_EQ(bytes.largest, 300);
  EXPECT_EQ(bytes.smallest, 100);
  EXPECT_EQ(bytes.sum, 400);
  EXPECT_EQ(bytes.sum_of_squares, 100'000);
}

TEST(Tau, OldProfilesAreNotMixedWithNewOnes) {
  const test::Folder folder;
  const RecordingReader reader(recording(folder));
  write_tau(reader, folder.path() / "tau");
  EXPECT_THROW(write_tau(reader, folder.path() / "tau"), Error);
}

}  // namespace
}  // namespace benanza
