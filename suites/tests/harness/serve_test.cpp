// A suite that measures on request (--serve).

#include <sys/wait.h>

#include "core/base/child.h"
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

struct Serve : Suite {
  explicit Serve() = default;

  void start(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--serve", "--fresh", "--budget=0.001", out_flag()});
    child = benanza::start({.program = BENCH_FAKE,
                            .arguments = std::move(flags),
                            .out = "/dev/null",
                            .err = folder / "err"});
    names = lines(read_message(child.from.get()).value_or(""));
  }
  std::string ask(const std::string& words) const {
    write_message(child.to.get(), words);
    return read_message(child.from.get()).value_or("gone");
  }
  /// Closes the input and returns the exit status.
  int end() {
    { const FileDescriptor no_more = std::move(child.to); }
    int status = 0;
    ::waitpid(child.id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  Child child;
  std::vector<std::string> names;
};

constexpr const char* direct = "relu/1x8/fp32/nchw/fake/direct";

// Calls of 100 us: ten make a sample of 1 ms, the shortest for this clock.
TEST_F(Serve, VisitsOneVariantAsOftenAsItIsTold) {
  start({all_relu});
  EXPECT_THAT(names, Contains(direct));
  EXPECT_EQ(ask(std::string("begin ") + direct), "10");
  EXPECT_EQ(ask("visit 10"), "1e-04");
  EXPECT_EQ(ask("visit 12"), "1e-04");
  EXPECT_EQ(ask("end"), "ok");
  EXPECT_EQ(rows_in_journal(), 1);
  EXPECT_EQ(end(), 0);
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows()[0].at("name"), direct);
  EXPECT_THAT(rows()[0].at("samples"), SizeIs(2));
  EXPECT_EQ(rows()[0].at("calls_per_sample"), 12);
}

// Its operands lie elsewhere, and its row has the visits to both places.
TEST_F(Serve, SetsAVariantUpAgainElsewhereInMemory) {
  start({all_relu});
  ask(std::string("begin ") + direct);
  EXPECT_EQ(ask("visit 10"), "1e-04");
  EXPECT_EQ(ask("move"), "1");
  EXPECT_EQ(ask("visit 10"), "1e-04");
  EXPECT_EQ(ask("end"), "ok");
  EXPECT_EQ(end(), 0);
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_THAT(rows()[0].at("samples"), SizeIs(2));
  EXPECT_EQ(document().at("context").at("primitives_made"), "2");
  EXPECT_EQ(document().at("context").at("operands_moved"), "1");
}

// The reference implementation fails from its third creation on.
TEST_F(Serve, WhatFailsElsewhereInMemoryFails) {
  start({all_relu, "--algorithms=with-reference"});
  ask("begin relu/1x8/fp32/nchw/fake/ref");
  EXPECT_EQ(ask("move"), "1");
  EXPECT_EQ(ask("move"), "0");
  EXPECT_EQ(ask("visit 10"), "0");
  EXPECT_EQ(ask("end"), "failed");
  EXPECT_EQ(ask("move"), "0");
  EXPECT_EQ(end(), 2);
}

TEST_F(Serve, WhatCannotBeTimedIsARowAllTheSame) {
  start({"--problem=tanh/1x8", "--problem=sigmoid/1x8"});
  for (const auto& [name, status] : {std::pair{"tanh/1x8/fp32/plain/fake/wrong", "incorrect"},
                                     {"tanh/1x8/fp32/plain/fake/refused", "unsupported"},
                                     {"sigmoid/1x8/fp32/plain/fake/none", "unsupported"}}) {
    EXPECT_EQ(ask(std::string("begin ") + name), "0") << name;
    EXPECT_EQ(ask("visit 1"), "0") << name;
    EXPECT_EQ(ask("end"), status) << name;
  }
  EXPECT_EQ(end(), 2);
  EXPECT_THAT(rows(), SizeIs(3));
}

// Wrong from the sixth call on, so that the check before timing passes.
TEST_F(Serve, VerifiesAgainAfterTheLastVisit) {
  start({"--problem=leakyrelu/1x8_a0", "--algorithms=with-reference"});
  EXPECT_NE(ask("begin leakyrelu/1x8_a0/fp32/plain/fake/wears-out"), "0");
  EXPECT_NE(ask("visit 1"), "0");
  EXPECT_EQ(ask("end"), "incorrect");
  EXPECT_EQ(end(), 2);
}

TEST_F(Serve, ALostDeviceEndsIt) {
  start({"--problem=leakyrelu/1x8_a0"});
  EXPECT_EQ(ask("begin leakyrelu/1x8_a0/fp32/plain/fake/lost-later"), "0");
  EXPECT_EQ(ask("end"), "failed");
  EXPECT_EQ(end(), 1);
  EXPECT_THAT(read_file(folder / "err"), HasSubstr("the device was lost at leakyrelu"));
}

TEST_F(Serve, ACrashLeavesARow) {
  start({"--problem=gelu/1x8"});
  EXPECT_EQ(ask("begin gelu/1x8/fp32/plain/fake/abort"), "gone");
  EXPECT_EQ(end(), -SIGABRT);
  EXPECT_EQ(rows_in_journal(), 1);
}

TEST_F(Serve, ASignalEndsItWithWhatItHas) {
  start({all_relu});
  ask(std::string("begin ") + direct);
  ask("visit 10");
  ask("end");
  ::kill(child.id, SIGTERM);
  ask("begin relu/2x8/fp32/nchw/fake/direct");
  end();
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(Serve, NonsenseIsAnError) {
  start({all_relu});
  EXPECT_EQ(ask("begin nothing"), "gone");
  EXPECT_EQ(end(), 1);
  EXPECT_THAT(read_file(folder / "err"), HasSubstr("bench_fake: nothing: is not to be measured"));
}

}  // namespace
}  // namespace benanza::harness
