#include "record/capture/cpu_counters.h"

#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "core/base/error.h"

namespace benanza::record {
namespace {

using testing::HasSubstr;

std::string error_of(const std::vector<std::string>& names) {
  try {
    CpuCounters counters(names);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const CounterKind& kind_of(const std::string& name) {
  for (const CounterKind& kind : counter_kinds()) {
    if (kind.name == name) return kind;
  }
  throw Error("no counter " + name);
}

void run_shell(const std::string& line) {
  std::string words[] = {"sh", "-c", line};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t id = 0;
  ASSERT_EQ(::posix_spawnp(&id, "sh", nullptr, nullptr, arguments, environ), 0);
  ASSERT_EQ(::waitpid(id, nullptr, 0), id);
}

TEST(CpuCounters, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CounterKind& kind : counter_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.description.empty());
  }
  EXPECT_THAT(error_of({"nonsense"}), HasSubstr("--list-counters"));
}

TEST(CpuCounters, WhatIsMissingSaysSo) {
  for (const CounterKind& kind : counter_kinds()) {
    const std::string missing = why_not(kind);
    const std::string error = error_of({std::string(kind.name)});
    EXPECT_EQ(missing.empty(), error.empty()) << kind.name;
    EXPECT_THAT(error, HasSubstr(missing));
  }
}

TEST(CpuCounters, CountAProgramAndItsChildrenAndNotThisOne) {
  if (!why_not(kind_of("task_nanoseconds")).empty()) {
    GTEST_SKIP() << why_not(kind_of("task_nanoseconds"));
  }
  const std::string loop = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
  const CpuCounters nothing({"task_nanoseconds"});
  // This process's own work is not counted.
  volatile double sum = 0;
  for (int i = 0; i < 20'000'000; ++i) sum = sum + i;
  EXPECT_LT(nothing.read().at(0).value.value_or(0), 1e6);

  const CpuCounters one({"task_nanoseconds"});
  run_shell(loop);
  const double alone = one.read().at(0).value.value_or(0);
  EXPECT_GT(alone, 1e6);
  const CpuCounters several({"task_nanoseconds"});
  run_shell("(" + loop + ") & (" + loop + ") & (" + loop + ") & (" + loop + ") & wait");
  EXPECT_GT(several.read().at(0).value.value_or(0), 2 * alone);
}

}  // namespace
}  // namespace benanza::record
