// A suite that times the calls of a model one after the other (--sequence).

#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using nlohmann::json;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

struct Sequence : Suite {
  /// What `benanza-analyze calls --out` writes for two layers.
  static json calls(const std::string& second = "relu/2x8/fp32/nhwc/fake/direct") {
    return {{"schema", 1},
            {"command", "calls"},
            {"reports",
             {{{"model", "m"},
               {"batch", 4},
               {"precision", "fp32"},
               {"fused", true},
               {"calls",
                {{{"layer", "a"},
                  {"op", "Relu"},
                  {"seconds", 1e-4},
                  {"call", "relu/1x8/fp32/nchw/fake/direct"}},
                 {{"layer", "b"}, {"op", "Relu"}, {"seconds", 2e-4}, {"call", second}}}}}}}};
  }
  Finished run_calls(const json& text, std::vector<std::string> more = {}) const {
    write_file(folder / "calls.json", text.dump());
    more.insert(more.end(), {"--sequence", (folder / "calls.json").string(), "--sequence-out",
                             (folder / "sequence.json").string(), "--budget=0.01"});
    return run(std::move(more));
  }
  json made() const { return json::parse(read_file(folder / "sequence.json")); }
};

TEST_F(Sequence, TimesItsCallsAsOne) {
  const Finished done = run_calls(calls());
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, "2 calls, one after the other: 0.400 ms; each by itself: 0.300 ms\n");
  const json run = made();
  EXPECT_EQ(run.at("command"), "sequence");
  ASSERT_THAT(run.at("systems"), SizeIs(1));
  EXPECT_EQ(run.at("systems").at("fake").at("threads"), "1");
  EXPECT_EQ(run.at("model"), "m");
  EXPECT_EQ(run.at("batch"), 4);
  EXPECT_EQ(run.at("precision"), "fp32");
  EXPECT_EQ(run.at("fused"), true);
  EXPECT_THAT(run.at("seconds").get<std::vector<double>>(), Each(testing::DoubleNear(4e-4, 1e-12)));
  ASSERT_THAT(run.at("calls"), SizeIs(2));
  EXPECT_EQ(run.at("calls")[1].at("layer"), "b");
  EXPECT_EQ(run.at("calls")[1].at("seconds"), 2e-4);
  EXPECT_FALSE(run.contains("joules"));
}

TEST_F(Sequence, MayHaveCallsOfTheDevicesOtherLibraries) {
  const Finished done = run_calls(calls("relu/2x8/fp32/nhwc/companion/direct"));
  EXPECT_EQ(done.status, 0) << done.err;
  ASSERT_THAT(made().at("systems"), SizeIs(2));
  EXPECT_TRUE(made().at("systems").contains("companion"));
}

TEST_F(Sequence, HasOneEnergy) {
  write_file(folder / "calls.json", calls().dump());
  const Finished done = run_program(
      {.arguments = {"--sequence", (folder / "calls.json").string(), "--sequence-out",
                     (folder / "sequence.json").string(), "--budget=0.01", "--energy=0.1"},
       .environment = {{"FAKE_ENERGY", "1"}}});
  EXPECT_EQ(done.status, 0) << done.err;
  // 50 W for 0.4 ms.
  EXPECT_NEAR(made().at("joules").get<double>(), 0.02, 1e-9);
}

TEST_F(Sequence, ErrorsNameTheCallAndLeaveNothing) {
  expect_error(
      run_calls(calls("relu/2x8/fp32/nhwc/onednn/jit")),
      "relu/2x8/fp32/nhwc/onednn/jit: is not a call of fake, companion; benanza-analyze calls "
      "--backend fake,companion chooses among their calls alone");
  expect_error(run_calls(calls("tanh/1x8/fp32/plain/fake/wrong")),
               "tanh/1x8/fp32/plain/fake/wrong: element");
  expect_error(run_calls(calls("tanh/1x8/fp32/plain/fake/refused")),
               "tanh/1x8/fp32/plain/fake/refused: not on this device");
  json none = calls();
  none["reports"][0]["calls"] = json::array();
  expect_error(run_calls(none), "calls.json: has no call; write it with benanza-analyze calls");
  json two = calls();
  two["reports"].push_back(two["reports"][0]);
  expect_error(run_calls(two), "calls.json: is not the calls of one model");
  EXPECT_FALSE(std::filesystem::exists(folder / "sequence.json"));
}

TEST_F(Sequence, NeedsAFileToWrite) {
  expect_error(run({"--sequence", "x"}), "--sequence needs --sequence-out FILE");
}

}  // namespace
}  // namespace benanza::harness
