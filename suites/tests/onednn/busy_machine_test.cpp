#include "suites/onednn/busy_machine.h"

#include <gmock/gmock.h>

#include <map>

namespace benanza::onednn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

auto variables(const std::map<std::string, std::string>& set) {
  return variables_of_busy_machine([&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}

TEST(BusyMachine, ThreadsAreBoundAndSleepWhileTheyWait) {
  EXPECT_THAT(variables({{"OMP_NUM_THREADS", "2"}}),
              ElementsAre(Pair("OMP_PROC_BIND", "spread"), Pair("GOMP_SPINCOUNT", "10000")));
}

// A program that was started again finds its own.
TEST(BusyMachine, WhatIsSetStays) {
  EXPECT_THAT(variables({{"OMP_PROC_BIND", "false"}}), IsEmpty());
  EXPECT_THAT(variables({{"OMP_WAIT_POLICY", "active"}}), IsEmpty());
}

}  // namespace
}  // namespace benanza::onednn
