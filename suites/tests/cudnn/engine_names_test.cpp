// Questions that another process answers.
#include "suites/cudnn/graph/plans.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

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

/// A fake child process; it begins to answer at once, unless it is busy.
class Elsewhere : public PlanBuilder {
 public:
  using Text = std::optional<std::string>;
  explicit Elsewhere(std::function<Text()> answer) : answer_(std::move(answer)) {}
  std::shared_future<Text> begin(const EngineChoice&, const harness::Variant&) override {
    return {};
  }
  std::shared_future<Text> ask(const harness::Variant&, AlgorithmSet,
                               std::shared_ptr<Claim> claim) override {
    if (answer_) {
      EXPECT_TRUE(claim->take());
      return std::async(std::launch::async, answer_).share();
    }
    claim_ = std::move(claim);
    return later_.get_future().share();
  }
  Claim& claim() { return *claim_; }

 private:
  std::function<Text()> answer_;
  std::shared_ptr<Claim> claim_;
  std::promise<Text> later_;
};

class Answers : public H100 {
 protected:
  GraphPlans asking(std::unique_ptr<Elsewhere> elsewhere) {
    GraphPlans plans(Target(read_file(TEST_DATA "/h100_device_properties.json")),
                     std::move(elsewhere));
    plans.prefetch_algorithms(relu_, AlgorithmSet::all);
    return plans;
  }
  GraphPlans asking(std::function<Elsewhere::Text()> answer) {
    return asking(std::make_unique<Elsewhere>(std::move(answer)));
  }
  const harness::Variant relu_ = variant("relu/1x8x4x4", Precision::fp16, Layout::nhwc);
};

TEST_F(Answers, AreFoundByTheGraph) {
  GraphPlans plans = asking([] {
    return answer_text({{"g", {"engine1"}, ""}, {"h", {}, "refused"}});
  });
  ASSERT_NE(plans.answer(relu_, AlgorithmSet::all, "g"), nullptr);
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "g")->names.front(), "engine1");
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "h")->refusal, "refused");
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "other"), nullptr);
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::best, "g"), nullptr) << "nobody asked";
}

TEST_F(Answers, AreNotWaitedForWhereNobodyHasBegun) {
  auto made = std::make_unique<Elsewhere>(nullptr);
  Elsewhere& elsewhere = *made;
  GraphPlans plans = asking(std::move(made));
  EXPECT_EQ(plans.answer(relu_, AlgorithmSet::all, "g"), nullptr);
  EXPECT_FALSE(elsewhere.claim().take()) << "answered here";
}

TEST_F(Answers, AreWaitedForOnceSomebodyHasBegun) {
  GraphPlans plans = asking([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return answer_text({{"g", {"engine1"}, ""}});
  });
  ASSERT_NE(plans.answer(relu_, AlgorithmSet::all, "g"), nullptr);
}

TEST_F(Answers, AreMissingWhereTheProcessCouldNot) {
  GraphPlans refused = asking([] { return std::nullopt; });
  EXPECT_EQ(refused.answer(relu_, AlgorithmSet::all, "g"), nullptr);
  GraphPlans gone = asking([]() -> Elsewhere::Text { throw std::runtime_error("gone"); });
  EXPECT_EQ(gone.answer(relu_, AlgorithmSet::all, "g"), nullptr);
}

}  // namespace
}  // namespace benanza::cudnn
