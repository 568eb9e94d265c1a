// Plans that are built elsewhere before they are needed.
#include <gmock/gmock.h>

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/ops/normalization/normalization.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;

/// Builds nothing until finish() is called.
class SlowBuilder : public PlanBuilder {
 public:
  using Text = std::optional<std::string>;
  std::shared_future<Text> begin(const EngineChoice&, const harness::Variant& request) override {
    requests_.push_back(request.algorithm);
    return plans_.emplace_back().get_future().share();
  }
  std::shared_future<Text> ask(const harness::Variant&, harness::AlgorithmSet,
                               std::shared_ptr<Claim>) override {
    return {};
  }
  std::size_t begun() const { return plans_.size(); }
  const std::vector<std::string>& requests() const { return requests_; }
  void finish() {
    for (auto& plan : plans_) plan.set_value(std::nullopt);
  }

 private:
  std::deque<std::promise<Text>> plans_;
  std::vector<std::string> requests_;
};

Target h100() { return Target(read_file(TEST_DATA "/h100_device_properties.json")); }

/// A library whose plans a SlowBuilder builds.
struct PlansElsewhere {
  nvidia::LazyContext no_device{nvidia::CudaOptions()};
  std::unique_ptr<SlowBuilder> owned = std::make_unique<SlowBuilder>();
  SlowBuilder& builder = *owned;
  Library library{no_device, h100(), std::move(owned)};
};

class ExpectedPlans : public H100 {
 protected:
  void SetUp() override {
    H100::SetUp();
    if (IsSkipped()) return;
    auto builder = std::make_unique<SlowBuilder>();
    builder_ = builder.get();
    plans_.emplace(h100(), std::move(builder));
  }

  std::shared_ptr<KnownGraph> relu(const harness::Variant& variant, std::size_t most = 1) {
    auto calls = activation_graphs(std::get<Activation>(variant.problem.shape), variant);
    return plans_->known(std::move(calls.at(0).graph()), {.most = most});
  }
  harness::Variant expect(const char* key, Precision precision) {
    harness::Variant expected = variant(key, precision);
    const auto known = relu(expected);
    expected.algorithm = known->choices.front().name();
    plans_->prefetch(known, known->choices.front(), expected, expected);
    return expected;
  }

  SlowBuilder* builder_ = nullptr;
};

TEST_F(ExpectedPlans, AreReadyOnceBuilt) {
  const auto fp32 = expect("relu/1x8x4x4", Precision::fp32);
  const auto tf32 = expect("relu/1x8x4x4", Precision::tf32);
  EXPECT_EQ(builder_->begun(), 1U) << "one graph";
  EXPECT_FALSE(plans_->is_ready(fp32));
  EXPECT_FALSE(plans_->is_ready(tf32));
  EXPECT_TRUE(plans_->is_ready(variant("relu/1x9x4x4", Precision::fp32))) << "nobody expects it";
  builder_->finish();
  EXPECT_TRUE(plans_->is_ready(fp32));
  EXPECT_TRUE(plans_->is_ready(tf32));
}

// Each process builds one plan of a variant that is several calls.
TEST_F(ExpectedPlans, AreAskedForCallByCall) {
  harness::Variant rows = variant("instancenorm/2x3x4096_e1e-05", Precision::fp16, Layout::nchw);
  const GraphsOf graphs =
      bound(instance_normalization_sequences, std::get<InstanceNormalization>(rows.problem.shape));
  rows.algorithm = sequence_names(instance_normalization_sequences, rows).back();
  ASSERT_TRUE(rows.algorithm.starts_with("rows."));
  PlansElsewhere here;
  graph_way(here.library, graphs, rows)->prefetch();
  const std::string& name = rows.algorithm;
  EXPECT_THAT(here.builder.requests(),
              ElementsAre(name + ".only0", name + ".only1", name + ".only2"));
  EXPECT_FALSE(here.library.graph_plans().is_ready(rows));
  here.builder.finish();
  EXPECT_TRUE(here.library.graph_plans().is_ready(rows));

  harness::Variant request = rows;
  request.algorithm += ".only1";
  PlansElsewhere child;
  graph_way(child.library, graphs, request)->prefetch();
  EXPECT_EQ(child.builder.begun(), 1U);
}

TEST_F(ExpectedPlans, KeepTheirGraphs) {
  const auto expected = expect("relu/1x8x4x4", Precision::fp16);
  const auto other = variant("relu/1x8x4x5", Precision::fp16);
  const auto awaited = relu(expected);
  const auto unused = relu(other);
  for (int width = 6; width < 6 + 600; ++width) {
    const std::string key = "relu/1x8x4x" + std::to_string(width);
    relu(variant(key.c_str(), Precision::fp16), 0);
  }
  EXPECT_EQ(relu(expected), awaited);
  EXPECT_NE(relu(other), unused) << "600 others were used since";
}

}  // namespace
}  // namespace benanza::cudnn
