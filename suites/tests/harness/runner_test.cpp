#include "suites/harness/run/runner.h"

#include <gmock/gmock.h>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

struct Runner : ::testing::Test {
  Outcome run(const std::string& key, const std::string& algorithm, const Verifier& verifier) {
    return run_variant(backend, {parse(key), Precision::fp32, Layout::plain, algorithm}, verifier,
                       {});
  }
  FakeBackend backend{"1"};
  Verifier agrees = [](Primitive&, const Variant&, const Traits&) { return std::nullopt; };
};

TEST_F(Runner, MeasuresWhatIsVerified) {
  const Outcome outcome = run("relu/1x8", "direct", agrees);
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_FALSE(outcome.samples.empty());
}

TEST_F(Runner, AMismatchIsIncorrectAndNeverTimed) {
  const Outcome outcome = run("relu/1x8", "direct", [](Primitive&, const Variant&, const Traits&) {
    return std::optional<std::string>("element (0,3): 1, expected 2");
  });
  EXPECT_EQ(outcome.status, Status::incorrect);
  EXPECT_EQ(outcome.reason, "element (0,3): 1, expected 2");
  EXPECT_TRUE(outcome.samples.empty());
}

TEST_F(Runner, ARefusalIsUnsupportedInTheLibrarysWords) {
  const Outcome outcome = run("tanh/1x8", "refused", agrees);
  EXPECT_EQ(outcome.status, Status::unsupported);
  EXPECT_EQ(outcome.reason, "not on this device");
}

TEST_F(Runner, AnyOtherExceptionIsAFailureOnOneLine) {
  EXPECT_EQ(run("tanh/1x8", "throws", agrees).status, Status::failed);
  EXPECT_EQ(run("tanh/1x8", "throws", agrees).reason, "launch failed (line 3)");
  EXPECT_EQ(run("tanh/1x8", "memory", agrees).status, Status::failed);
  EXPECT_EQ(run("tanh/1x8", "memory", agrees).reason, "out of memory");
}

TEST_F(Runner, AnExceptionWhileVerifyingIsAFailure) {
  const Outcome outcome =
      run("relu/1x8", "direct",
          [](Primitive&, const Variant&, const Traits&) -> std::optional<std::string> {
            throw std::runtime_error("device lost");
          });
  EXPECT_EQ(outcome.status, Status::failed);
  EXPECT_EQ(outcome.reason, "device lost");
}

TEST_F(Runner, TheTimeOfARefusedVariantIsInVain) {
  const PhaseSeconds refused = run("tanh/1x8", "refused", agrees).phases;
  EXPECT_GT(refused.in_vain, 0);
  EXPECT_EQ(refused.create, 0);
  const PhaseSeconds measured = run("relu/1x8", "direct", agrees).phases;
  EXPECT_EQ(measured.in_vain, 0);
  EXPECT_GT(measured.warm_up, 0);
}

TEST(OneLine, JoinsLinesAndTrims) {
  EXPECT_EQ(one_line("  a\n\n b\tc \r\n"), "a b c");
  EXPECT_EQ(one_line(" \n"), "no reason given");
}

}  // namespace
}  // namespace benanza::harness
