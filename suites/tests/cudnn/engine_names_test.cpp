// Questions that another process answers.
#include "suites/cudnn/graph/engine_names.h"

#include <gtest/gtest.h>

#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using harness::AlgorithmSet;

TEST(EngineNames, AQuestionIsOneTextThatParsesBack) {
  const auto prototype = variant("relu/1x8x4x4_mul_y1x8x4x4", Precision::bf16, Layout::nhwc);
  const std::string text = question_text(prototype, AlgorithmSet::leading);
  EXPECT_TRUE(is_question(text));
  EXPECT_FALSE(is_question("relu/8/fp32/plain/cudnn/engine5"));
  const Question question = parse_question(text);
  EXPECT_EQ(question.prototype.problem, prototype.problem);
  EXPECT_EQ(question.prototype.precision, Precision::bf16);
  EXPECT_EQ(question.prototype.layout, Layout::nhwc);
  EXPECT_EQ(question.prototype.algorithm, "");
  EXPECT_EQ(question.set, AlgorithmSet::leading);
}

TEST(EngineNames, AnswersAreOneTextThatParsesBack) {
  const std::vector<EngineNames> answers{{"a[1,2]\n", {"engine5.k2=3", "max.engine1"}, ""},
                                         {"b", {}, "cuDNN: \"no\""}};
  EXPECT_EQ(parse_answers(answer_text(answers)), answers);
  EXPECT_TRUE(parse_answers(answer_text({})).empty());
}

/// A fake child process.
class Elsewhere : public PlanBuilder {
 public:
  explicit Elsewhere(std::optional<std::string> answer) : answer_(std::move(answer)) {}
  std::shared_future<std::optional<std::string>> begin(const EngineChoice&,
                                                       const harness::Variant&) override {
    return {};
  }
  std::shared_future<std::optional<std::string>> ask(
      const harness::Variant&, AlgorithmSet,
      std::shared_ptr<const std::atomic<bool>> is_wanted) override {
    is_wanted_ = std::move(is_wanted);
    auto& promise = promises_.emplace_back();
    if (answer_ == "later") {
      // Not yet.
    } else if (answer_ == "throws") {
      promise.set_exception(std::make_exception_ptr(std::runtime_error("gone")));
    } else {
      promise.set_value(answer_);
    }
    return promise.get_future().share();
  }
  bool is_wanted() const { return *is_wanted_; }

 private:
  std::optional<std::string> answer_;
  std::shared_ptr<const std::atomic<bool>> is_wanted_;
  std::deque<std::promise<std::optional<std::string>>> promises_;
};

class Answers : public H100 {
 protected:
  GraphPlans asking(std::optional<std::string> answer) {
    GraphPlans plans(Target(read_file(TEST_DATA "/h100_device_properties.json")),
                     std::make_unique<Elsewhere>(std::move(answer)));
    plans.expect_question(relu_, AlgorithmSet::all);
    return plans;
  }
  const harness::Variant relu_ = variant("relu/1x8x4x4", Precision::fp16, Layout::nhwc);
};

TEST_F(Answers, AreFoundByTheGraph) {
  GraphPlans plans = asking(answer_text({{"g", {"engine1"}, ""}, {"h", {}, "refused"}}));
  ASSERT_NE(plans.answer(relu_, AlgorithmSet::all, "g"), nullptr);
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "g")->names.front(), "engine1");
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "h")->refusal, "refused");
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "other"), nullptr);
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::best, "g"), nullptr) << "nobody asked";
}

TEST_F(Answers, AreNotWaitedFor) {
  auto made = std::make_unique<Elsewhere>("later");
  const Elsewhere& elsewhere = *made;
  GraphPlans plans(Target(read_file(TEST_DATA "/h100_device_properties.json")), std::move(made));
  plans.expect_question(relu_, AlgorithmSet::all);
  EXPECT_TRUE(elsewhere.is_wanted());
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "g"), nullptr);
  EXPECT_FALSE(elsewhere.is_wanted());
}

TEST_F(Answers, AreMissingWhereTheProcessCouldNot) {
  EXPECT_EQ(asking(std::nullopt).answer(relu_, AlgorithmSet::all, "g"), nullptr);
  EXPECT_EQ(asking("throws").answer(relu_, AlgorithmSet::all, "g"), nullptr);
}

}  // namespace
}  // namespace benanza::cudnn
