// Tensors that no call joins: calls write their parts, or these are copied there.
#include <gmock/gmock.h>

#include <optional>

#include "suites/tests/plan/safetensors.h"
#include "suites/tests/plan/two_convolutions.h"

namespace benanza::plan {
namespace {

using benanza::test::error_of;
using benanza::test::Folder;
using testing::HasSubstr;

constexpr std::int64_t image = channels * pixels;

/// x -> a = conv(x, w) -> c = conv(a, w) -> whole = a and c, one behind the other -> y =
/// relu(whole).
struct JoinedPlan {
  /// `format`: which results of convolutions are searched for.
  explicit JoinedPlan(const std::function<bool(const std::string&)>& format) {
    harness::Backend& backend = *backends.all().front();
    for (const Layout layout : {Layout::nchw, Layout::nhwc, Layout::any}) {
      const harness::Variant variant{parse(convolution), Precision::fp32, layout, ""};
      for (const harness::Way& way : backend.ways(variant, harness::AlgorithmSet::all)) {
        harness::CallFormats formats;
        try {
          make_alone(way, backend.allocator(), &formats);
        } catch (const harness::Unsupported&) {
          continue;
        }
        if (!format(formats.results.front())) continue;
        found = formats.results.front();
        call = convolution + "/fp32/" + std::string(to_string(layout)) + "/onednn/" + way.name;
        plan = made();
        return;
      }
    }
  }

  Plan made() const {
    const auto tensor = [](const char* name, std::int64_t count, std::size_t buffer,
                           std::int64_t first) {
      return PlanTensor{.name = name,
                        .type = "float",
                        .shape = Dims{1, count, 6, 6},
                        .buffer = buffer,
                        .offset = first};
    };
    PlanTensor whole = tensor("whole", 32, 1, 0);
    whole.joins = {{.tensor = 2, .first = 0}, {.tensor = 3, .first = image}};
    const auto convolve = [&](std::size_t from, std::size_t to) {
      return PlanStep{.call = call,
                      .work = {.problem = convolution, .operands = {{.index = from}, {.index = 1}}},
                      .results = {to}};
    };
    const std::string relu = "relu/1x32x6x6";
    const harness::Variant variant{parse(relu), Precision::fp32, Layout::nchw, ""};
    const std::string way =
        backends.all().front()->ways(variant, harness::AlgorithmSet::best).front().name;
    return {.model = "m",
            .precision = "fp32",
            .arena_bytes = 5 * image * 4,
            .tensors = {tensor("x", 16, 0, 0),
                        {.name = "w", .type = "float", .shape = Dims{16, 16, 3, 3}},
                        tensor("a", 16, 1, 0),
                        tensor("c", 16, 1, image),
                        std::move(whole),
                        tensor("y", 32, 2, 0)},
            .buffers = {{.elements = image, .bytes = image * 4, .first = 0, .last = 2},
                        {.elements = 2 * image,
                         .bytes = 2 * image * 4,
                         .offset = image * 4,
                         .first = 0,
                         .last = 2},
                        {.elements = 2 * image,
                         .bytes = 2 * image * 4,
                         .offset = 3 * image * 4,
                         .first = 2,
                         .last = 2}},
            .steps = {convolve(0, 2),
                      convolve(2, 3),
                      {.call = relu + "/fp32/nchw/onednn/" + way,
                       .work = {.problem = relu, .operands = {{.index = 4}}},
                       .results = {5}}},
            .inputs = {0},
            .results = {5}};
  }

  /// How many conversions and copies there are; all tensors agree.
  std::size_t conversions() const {
    const Folder folder;
    const Image x = planned_model_pattern(channels * pixels, 5);
    const Image w = planned_model_pattern(channels * channels * 9, 4);
    const Image a = convolved(x, w);
    const Image c = convolved(a, w);
    Image whole = plan.tensors[4].joins[0].tensor == 0 ? x : a;
    whole.insert(whole.end(), c.begin(), c.end());
    const Image y = mapped(whole, relu);
    const Values values(test::write_values(
        folder, "values", {{"x", x}, {"w", w}, {"a", a}, {"c", c}, {"whole", whole}, {"y", y}}));
    EXPECT_EQ(contradiction_of(plan), "");
    PlannedModel planned(plan, backends.all(), &values);
    const auto worst = planned.check(values, 1e-5);
    EXPECT_TRUE(worst && worst->relative < 1e-5) << worst->tensor;
    planned.poison_results();
    planned.run();
    EXPECT_LT(planned.check_results(values)->relative, 1e-5);
    return planned.conversions();
  }

  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  std::string call;
  /// Empty: no call.
  std::optional<std::string> found;
  Plan plan;
};

bool is_row_major(const std::string& format) { return format == "row-major"; }
bool is_blocked(const std::string& format) { return format.find(":b") != std::string::npos; }
bool is_channels_last(const std::string& format) { return format == "1x16x6x6:s1.96.16"; }

TEST(JoinedTensors, HavePartsInPlace) { EXPECT_EQ(JoinedPlan(is_row_major).conversions(), 0U); }

TEST(JoinedTensors, GetCopiesOfWhatLiesElsewhere) {
  JoinedPlan model(is_row_major);
  model.plan.tensors[4].joins[0].tensor = 0;
  model.plan.tensors[2].buffer = 3;
  model.plan.buffers.push_back({.elements = image,
                                .bytes = image * 4,
                                .offset = model.plan.arena_bytes,
                                .first = 0,
                                .last = 1});
  model.plan.arena_bytes += image * 4;
  EXPECT_EQ(model.conversions(), 1U);
}

TEST(JoinedTensors, GetConversionsOfWhatIsInAnotherFormat) {
  const JoinedPlan model(is_channels_last);
  if (!model.found) GTEST_SKIP() << "this processor has no such convolution";
  EXPECT_GE(model.conversions(), 2U);
}

TEST(JoinedTensors, LieInBlocks) {
  JoinedPlan model(is_blocked);
  if (!model.found) GTEST_SKIP() << "this processor has no such convolution";
  PlanTensor& whole = model.plan.tensors[4];
  const std::string blocks = model.found->substr(model.found->find(':'));
  whole.joined_format = "1x32x6x6" + blocks;
  for (JoinedPart& part : whole.joins) part.format = *model.found;
  EXPECT_EQ(model.conversions(), 2U) << "of x and, as one, of the whole";
}

TEST(JoinedTensors, RefuseOtherFormatsThanTheirBlocks) {
  JoinedPlan model(is_row_major);
  model.plan.tensors[4].joined_format = "1x32x6x6:s576.96.16:b16:a1";
  for (JoinedPart& part : model.plan.tensors[4].joins) {
    part.format = "1x16x6x6:s576.96.16:b16:a1";
  }
  EXPECT_THAT(error_of([&] { PlannedModel(model.plan, model.backends.all(), nullptr); }),
              HasSubstr("joins a part in the format"));
}

}  // namespace
}  // namespace benanza::plan
