// `compare`, run as a user does.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using test::results_text;
using test::row;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Compare : public test::SmallModel {
 protected:
  /// Every problem of the model takes `seconds` at fp32, convolutions `convolution`.
  std::string results(const std::string& name, const std::string& threads, double seconds,
                      double convolution) const {
    const std::string all = rows([&](const std::string& key) {
      return std::vector(5, key.starts_with("conv/") ? convolution : seconds);
    });
    return folder_.write(name, results_text(all, threads)).string();
  }
};

TEST_F(Compare, SaysWhatChangedAndWhatItMeansForAModel) {
  const std::string before = results("before.json", "2", 0.001, 0.001);
  const std::string after = results("after.json", "4", 0.001, 0.003);
  const Outcome table = run("compare " + before + ' ' + after + " --graph " + graph_);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("onednn: threads 2, now 4"), HasSubstr("slower  3.000"),
                               HasSubstr("LBL sequential"), Not(HasSubstr("same  "))));
  const Outcome outcome =
      run("compare " + before + ' ' + after + " --graph " + graph_ + " --format json --all");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  ASSERT_EQ(answer["reports"].size(), 2U);
  const json& changes = answer["reports"][0];
  EXPECT_EQ(changes["precision"], "fp32");
  EXPECT_EQ(changes["systems_before"]["onednn"]["threads"], "2");
  EXPECT_EQ(answer["systems"]["onednn"]["threads"], "4");
  EXPECT_EQ(changes["problems"].size(), problem_keys({read_graph(graph_)}).size());
  EXPECT_EQ(changes["problems"][0]["change"], "slower");
  EXPECT_DOUBLE_EQ(changes["problems"][0]["ratio"].get<double>(), 3);
  const std::size_t slower = changes["problems_totals"]["slower"];
  EXPECT_GT(slower, 0U);
  EXPECT_EQ(changes["problems_totals"]["same"], changes["problems"].size() - slower);
  // 2 ms more per convolution of the model.
  const json& model = answer["reports"][1];
  double more = 0;
  std::size_t convolutions = 0;
  for (const json& layer : model["layers"]) {
    more += layer["difference_seconds"].get<double>();
    if (layer["op"] == "Conv") ++convolutions;
  }
  EXPECT_GT(convolutions, 0U);
  EXPECT_NEAR(more, 0.002 * static_cast<double>(convolutions), 1e-12);
  EXPECT_NEAR(model["sequential"]["after_seconds"].get<double>() -
                  model["sequential"]["before_seconds"].get<double>(),
              more, 1e-12);
}

TEST_F(Compare, FailsWhereAProblemIsSlowerIfAsked) {
  const std::string before = results("before.json", "2", 0.001, 0.001);
  const std::string after = results("after.json", "2", 0.001, 0.003);
  const Outcome outcome = run("compare " + before + ' ' + after + " --fail");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the same system"));
  EXPECT_THAT(outcome.err, HasSubstr("slower by more than 5%, 0 are lost"));
  EXPECT_EQ(run("compare " + after + ' ' + before + " --fail").status, 0);
  EXPECT_EQ(run("compare " + before + ' ' + after + " --fail --tolerance 300").status, 0);
}

// The model has 18 layers of 1 ms. One product of 1 us takes 4 then.
TEST_F(Compare, AModelFailsByWhatItsSlowerLayersWeigh) {
  const auto with = [&](const std::string& name, double product, double others) {
    const std::string all = rows([&](const std::string& key) {
      return std::vector(5, key.starts_with("gemm/") ? product : others);
    });
    return folder_.write(name, results_text(all, "2")).string();
  };
  const std::string before = with("a.json", 1e-6, 1e-3);
  const std::string light = with("b.json", 4e-6, 1e-3);
  const std::string compare = "compare " + before + ' ';
  EXPECT_EQ(run(compare + light + " --fail").status, 1);
  const Outcome within = run(compare + light + " --fail --graph " + graph_);
  EXPECT_EQ(within.status, 0) << within.err;
  EXPECT_THAT(within.out, HasSubstr("layers is slower, by 0.003 ms in all, 0.0% of the bound: "
                                    "within the tolerance of 5%"));
  // The product takes as long as the others then: nothing else is faster or slower.
  const std::string heavy = with("c.json", 3e-3, 1e-3);
  const Outcome more = run(compare + heavy + " --fail --graph " + graph_);
  EXPECT_EQ(more.status, 1);
  EXPECT_THAT(more.err, AllOf(HasSubstr("fp32: LBL "), HasSubstr("more than the tolerance of 5%")));
  EXPECT_EQ(run(compare + heavy + " --fail --tolerance 50 --graph " + graph_).status, 0);
  // What becomes faster elsewhere does not make up for it.
  const std::string mixed = with("d.json", 3e-3, 0.5e-3);
  const Outcome lower = run(compare + mixed + " --fail --graph " + graph_);
  EXPECT_EQ(lower.status, 1);
  EXPECT_THAT(lower.err, HasSubstr("lower"));
  const json answer =
      json::parse(run(compare + mixed + " --format json --graph " + graph_).out)["reports"][1];
  EXPECT_EQ(answer["verdict"]["is_worse"], true);
  EXPECT_EQ(answer["verdict"]["slower_layers"], 1);
  EXPECT_NEAR(answer["verdict"]["slower_seconds"].get<double>(), 3e-3 - 1e-6, 1e-9);
}

TEST_F(Compare, ErrorsAreOneLine) {
  const std::string before = results("before.json", "2", 0.001, 0.001);
  const std::string other =
      folder_.write("other.json", results_text(row("relu/9/fp32/nchw/onednn/a", "[1.0, 1.0]")))
          .string();
  expect_error(run("compare " + before), "after");
  expect_error(run("compare " + before + " none.json"), "none.json");
  expect_error(run("compare " + before + ' ' + other), "no problem has a time and was measured");
  expect_error(run("compare " + before + ' ' + before + " --precision fp32,int8"),
               "no problem has a time at int8 and was measured in both");
  const std::string first = *problem_keys({read_graph(graph_)}).begin();
  const std::string part =
      folder_.write("part.json", results_text(row(first + "/fp32/nchw/onednn/a", "[1.0, 1.0]")))
          .string();
  const std::string partial = "compare " + before + ' ' + part + " --graph " + graph_;
  expect_error(run(partial), "measurements are missing");
  EXPECT_THAT(run(partial + " --allow-missing").out, HasSubstr("PARTIAL: 18 layers"));
  expect_error(run("compare " + before + ' ' + before + " --precision fp99"), "not a precision");
  expect_error(run("compare " + before + ' ' + before + " --tolerance -1"), "--tolerance");
  expect_error(run("compare " + before + ' ' + other + " --precision fp32 --graph " + graph_),
               "no problem has a time at fp32");
}

}  // namespace
}  // namespace benanza::analysis
