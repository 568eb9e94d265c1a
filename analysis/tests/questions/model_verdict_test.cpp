#include <gmock/gmock.h>

#include "analysis/model/layer_time.h"
#include "analysis/questions/compare/model_changes.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two layers of 8 and 4 us before; what the second one's call has become.
class VerdictOfAModel : public testing::Test {
 protected:
  static Measurement timed(const std::string& key, double microseconds) {
    return test::measured(key + "/fp32/nchw/cudnn/a", test::five(microseconds * us));
  }
  ModelVerdict after(const std::vector<Measurement>& rows) const {
    MeasurementSet before;
    before.add(timed("relu/8", 8));
    before.add(timed("tanh/8", 4));
    MeasurementSet now;
    for (const Measurement& row : rows) now.add(row);
    constexpr double tolerance = 0.05;
    return model_verdict(graph_, changes(before, now, {}, tolerance), Movement::exclude,
                         layer_times(graph_, before, {}), layer_times(graph_, now, {}));
  }

 private:
  static Layer one(const std::string& name, const std::string& key) {
    return {.name = name, .op = "Op", .cost = Cost::measured, .problems = {key}};
  }
  Graph graph_{.model = "m", .layers = {one("first", "relu/8"), one("second", "tanh/8")}};
};

TEST_F(VerdictOfAModel, ALayerWithoutAnyCallLeftIsLost) {
  const ModelVerdict verdict =
      after({timed("relu/8", 8),
             test::refused("tanh/8/fp32/nchw/cudnn/a", Status::incorrect, "element 3")});
  EXPECT_THAT(verdict.lost, ElementsAre(1));
  EXPECT_THAT(verdict.slower, IsEmpty());
  EXPECT_TRUE(verdict.is_worse(1)) << "whatever the tolerance";
  EXPECT_THAT(verdict_text(verdict, 1), HasSubstr("1 of 2 layers lost every call"));
}

TEST_F(VerdictOfAModel, WhatWasNotMeasuredAgainIsNotLost) {
  const ModelVerdict verdict = after({timed("relu/8", 8)});
  EXPECT_THAT(verdict.lost, IsEmpty());
  EXPECT_FALSE(verdict.is_worse(0.05));
}

TEST_F(VerdictOfAModel, ASlowerLayerWeighsWhatItCostsTheBound) {
  const ModelVerdict verdict = after({timed("relu/8", 8), timed("tanh/8", 5)});
  EXPECT_THAT(verdict.slower, ElementsAre(1));
  EXPECT_FALSE(verdict.is_worse(0.09)) << "1 us of 12";
  EXPECT_TRUE(verdict.is_worse(0.05));
}

}  // namespace
}  // namespace benanza::analysis
