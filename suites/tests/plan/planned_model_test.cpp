// A model of two convolutions, with values computed by their definitions.
#include "suites/plan/planned_model.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/problem/name.h"
#include "suites/plan/backends.h"
#include "suites/plan/step_times.h"
#include "suites/tests/plan/safetensors.h"

namespace benanza::plan {
namespace {

using benanza::test::error_of;
using benanza::test::Folder;
using testing::HasSubstr;

constexpr std::size_t channels = 16;
constexpr std::size_t side = 6;
constexpr std::size_t pixels = side * side;
using Image = std::vector<float>;

/// Small integers, so that sums are exact.
Image planned_model_pattern(std::size_t count, std::size_t period) {
  Image values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % period) - 2;
  return values;
}

/// 3x3, padded by 1, without bias.
Image convolved(const Image& x, const Image& w) {
  Image y(channels * pixels, 0);
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t at = 0; at < pixels * 9; ++at) {
        const std::size_t row = at / 9 / side + at % 9 / 3;
        const std::size_t column = at / 9 % side + at % 3;
        if (row < 1 || row > side || column < 1 || column > side) continue;
        y[k * pixels + at / 9] +=
            x[c * pixels + (row - 1) * side + column - 1] * w[(k * channels + c) * 9 + at % 9];
      }
    }
  }
  return y;
}

Image mapped(Image values, const std::function<float(std::size_t, float)>& function) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(i, values[i]);
  return values;
}

float relu(std::size_t, float value) { return std::max(value, 0.0F); }

const std::string convolution = "conv/1x16x6x6_k16x3x3_p1.1.1.1_s1x1_d1x1_g1";

/// x -> a = relu(conv(x, w) + b) -> c = conv(a, w) -> y = c + x, each a step.
struct Model {
  explicit Model(Layout layout) : layout(layout) {}

  Layout layout;
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  Image x = planned_model_pattern(channels * pixels, 5);
  Image w = planned_model_pattern(channels * channels * 9, 4);
  Image b = planned_model_pattern(channels, 3);
  Image a = mapped(convolved(x, w),
                   [&](std::size_t i, float value) { return relu(i, value + b[i / pixels]); });
  Image c = convolved(a, w);
  Image y = mapped(c, [&](std::size_t i, float value) { return value + x[i]; });
  Plan plan = make_plan();

  std::string call(const std::string& problem, Layout wanted) const {
    harness::Backend& backend = *backends.all().front();
    const harness::Variant variant{parse(problem), Precision::fp32, wanted, ""};
    return problem + "/fp32/" + std::string(to_string(wanted)) + "/onednn/" +
           backend.ways(variant, harness::AlgorithmSet::best).front().name;
  }
  Plan make_plan() const {
    const Dims shape{1, 16, 6, 6};
    constexpr std::int64_t bytes = channels * pixels * 4;
    const auto buffer = [](std::int64_t index, std::size_t first, std::size_t last) {
      return PlanBuffer{.elements = bytes / 4,
                        .bytes = bytes,
                        .offset = index * bytes,
                        .first = first,
                        .last = last};
    };
    const auto tensor = [&](const char* name, std::size_t place) {
      return PlanTensor{.name = name, .type = "float", .shape = shape, .buffer = place};
    };
    const auto constant = [](const char* name, Dims extents) {
      return PlanTensor{.name = name, .type = "float", .shape = std::move(extents)};
    };
    return {.model = "m",
            .precision = "fp32",
            .arena_bytes = 4 * bytes,
            .tensors = {tensor("x", 0), constant("w", {16, 16, 3, 3}), constant("b", {16}),
                        tensor("a", 1), tensor("c", 2), tensor("y", 3)},
            .buffers = {buffer(0, 0, 2), buffer(1, 0, 1), buffer(2, 1, 2), buffer(3, 2, 2)},
            .steps = {{.call = call(convolution + "_bias_relu", layout),
                       .work = {.problem = convolution + "_bias_relu",
                                .operands = {{.index = 0}, {.index = 1}, {.index = 2}}},
                       .results = {3}},
                      {.call = call(convolution, layout),
                       .work = {.problem = convolution, .operands = {{.index = 3}, {.index = 1}}},
                       .results = {4}},
                      {.call = call("add/1x16x6x6_1x16x6x6", Layout::nchw),
                       .work = {.problem = "add/1x16x6x6_1x16x6x6",
                                .operands = {{.index = 4}, {.index = 0}}},
                       .results = {5}}},
            .inputs = {0},
            .results = {5}};
  }
  std::map<std::string, Image> values() const {
    return {{"x", x}, {"w", w}, {"b", b}, {"a", a}, {"c", c}, {"y", y}};
  }
};

struct PlannedModels : testing::TestWithParam<Layout> {
  Folder folder;
  Model model{GetParam()};

  std::optional<Difference> check(const std::map<std::string, Image>& tensors) {
    const Values values(test::write_values(folder, "values", tensors));
    PlannedModel planned(model.plan, model.backends.all(), &values);
    return planned.check(values, 1e-5);
  }
};

TEST_P(PlannedModels, ComputeTheModel) {
  const Values values(test::write_values(folder, "values", model.values()));
  PlannedModel planned(model.plan, model.backends.all(), &values);
  for (int run = 0; run < 2; ++run) {
    const auto worst = planned.check(values, 1e-5);
    ASSERT_TRUE(worst);
    EXPECT_LE(worst->relative, 1e-6) << worst->tensor;
    EXPECT_EQ(planned.compared(), 3);
  }
}

TEST_P(PlannedModels, NameTheFirstStepThatIsWrong) {
  const auto wrong_at = [&](const char* tensor, std::size_t step) {
    const auto found = check(model.values());
    ASSERT_TRUE(found);
    EXPECT_GT(found->relative, 1e-3);
    EXPECT_EQ(found->tensor, tensor);
    EXPECT_EQ(found->step, step);
    model.plan = model.make_plan();
  };
  // No bias.
  model.plan.steps[0].work.problem = convolution + "_relu";
  model.plan.steps[0].call = model.call(convolution + "_relu", GetParam());
  model.plan.steps[0].work.operands.pop_back();
  wrong_at("a", 0);
  // The model's input instead of the step before.
  model.plan.steps[1].work.operands[0].index = 0;
  wrong_at("c", 1);
  // A buffer that another one overwrites while it is needed: x by c.
  model.plan.buffers[2].offset = 0;
  wrong_at("y", 2);
  // Weights of other values.
  model.plan.tensors[1].name = "a";
  const Values values(test::write_values(folder, "values", model.values()));
  EXPECT_THAT(error_of([&] { PlannedModel(model.plan, model.backends.all(), &values); }),
              HasSubstr("step 1 of 3, conv/"));
}

TEST_P(PlannedModels, NeedTheirValues) {
  std::map<std::string, Image> values = model.values();
  values.erase("b");
  EXPECT_THAT(error_of([&] { check(values); }), HasSubstr("has no b"));
}

INSTANTIATE_TEST_SUITE_P(Layouts, PlannedModels, testing::Values(Layout::nchw, Layout::any),
                         [](const auto& given) { return std::string(to_string(given.param)); });

TEST(PlannedModel, ConvertsBetweenFormatsAndCountsIt) {
  Model model(Layout::nhwc);
  const PlannedModel planned(model.plan, model.backends.all(), nullptr);
  // x for the first convolution, and c for the sum; a is read as it was written.
  EXPECT_EQ(planned.conversions(), 2);
  EXPECT_EQ(planned.bytes_beyond_arena(), 2 * 16 * 36 * 4);
  Model rows(Layout::nchw);
  EXPECT_EQ(PlannedModel(rows.plan, rows.backends.all(), nullptr).conversions(), 0);
}

/// y = relu(x[4 : 8]) of 8 numbers.
struct OfAPart {
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  std::map<std::string, Image> values{{"x", {1, 1, 1, 1, -1, 2, -3, 4}}, {"y", {0, 2, 0, 4}}};
  Plan plan;

  OfAPart() {
    const harness::Variant relu{parse("relu/4"), Precision::fp32, Layout::nchw, ""};
    const auto name = backends.all().front()->ways(relu, harness::AlgorithmSet::best).front().name;
    plan = {.model = "m",
            .precision = "fp32",
            .arena_bytes = 128,
            .tensors = {{.name = "x", .type = "float", .shape = Dims{8}, .buffer = 0},
                        {.name = "part",
                         .type = "float",
                         .shape = Dims{4},
                         .buffer = 0,
                         .offset = 4,
                         .part_of = 0},
                        {.name = "y", .type = "float", .shape = Dims{4}, .buffer = 1}},
            .buffers = {{.elements = 8, .bytes = 32, .offset = 0},
                        {.elements = 4, .bytes = 16, .offset = 64}},
            .steps = {{.call = "relu/4/fp32/nchw/onednn/" + name,
                       .work = {.problem = "relu/4", .operands = {{.index = 1}}},
                       .results = {2}}},
            .inputs = {0},
            .results = {2}};
  }
};

TEST(PlannedModel, SaysWhatItsCallsAndConversionsTake) {
  const Model model(Layout::any);
  PlannedModel planned(model.plan, model.backends.all(), nullptr);
  const std::vector<StepTime> times = step_times(planned);
  ASSERT_EQ(times.size(), 4U) << "three steps, and what is converted after them";
  const nlohmann::json made = nlohmann::json::parse('{' + step_times_json(planned, times) + '}');
  ASSERT_EQ(made["steps"].size(), 3U);
  EXPECT_EQ(made["steps"][1]["call"], model.plan.steps[1].call);
  for (const nlohmann::json& step : made["steps"]) {
    EXPECT_GT(step["seconds"].get<double>(), 0);
    EXPECT_GT(step["repeated_seconds"].get<double>(), 0);
  }
  // The image before the first step, and the second's result before the sum.
  ASSERT_EQ(made["conversions"].size(), 2U);
  EXPECT_EQ(made["conversions"][0]["from"], "");
  EXPECT_EQ(made["conversions"][1]["to"], "");
  EXPECT_EQ(made["conversions"][1]["from"], made["conversions"][0]["to"]);
  EXPECT_EQ(made["conversions"][1]["bytes"], 16 * 36 * 4);
  EXPECT_GT(made["steps"][2]["conversion_seconds"].get<double>(), 0);
}

/// Says what it was told to, in microseconds; 4 for a call that is repeated.
class ToldStopwatch final : public harness::Stopwatch {
 public:
  explicit ToldStopwatch(std::vector<double> rows) : rows_(std::move(rows)) {}
  double time(harness::Primitive&, std::int64_t calls) override {
    return 4e-6 * static_cast<double>(calls);
  }
  std::vector<double> time_samples(harness::Primitive& row, std::int64_t calls,
                                   std::size_t samples) override {
    EXPECT_EQ(calls, 1);
    row.run();
    std::vector<double> seconds(samples, rows_.at(next_) * 1e-6);
    seconds.front() = 1;  // disturbed
    ++next_;
    return seconds;
  }
  double time_cold(harness::Primitive&) override { return 0; }
  std::size_t asked() const { return next_; }

 private:
  std::vector<double> rows_;
  std::size_t next_ = 0;
};

// Conversion, first step, second, conversion, sum; the second one's row is shorter, by noise.
TEST(PlannedModel, TimesRowsOfCallsThatTheHostDoesNotWaitFor) {
  const Model model(Layout::any);
  PlannedModel planned(model.plan, model.backends.all(), nullptr);
  ToldStopwatch stopwatch({1, 6, 5, 8, 20});
  const std::vector<StepTime> times = step_times(planned, stopwatch);
  EXPECT_EQ(stopwatch.asked(), 5U);
  ASSERT_EQ(times.size(), 4U);
  ASSERT_EQ(times[0].conversions.size(), 1U);
  EXPECT_NEAR(times[0].conversions[0], 1e-6, 1e-12);
  EXPECT_NEAR(times[0].in_plan, 5e-6, 1e-12);
  EXPECT_EQ(times[1].in_plan, 0);
  ASSERT_EQ(times[2].conversions.size(), 1U);
  EXPECT_NEAR(times[2].conversions[0], 2e-6, 1e-12) << "all rows add up to the last";
  EXPECT_NEAR(times[2].in_plan, 12e-6, 1e-12);
  EXPECT_NEAR(times[2].repeated, 4e-6, 1e-12);
}

TEST(PlannedModel, ReadsAPartWhereItIs) {
  OfAPart given;
  const Folder folder;
  const Values values(test::write_values(folder, "values", given.values));
  PlannedModel planned(given.plan, given.backends.all(), &values);
  const auto worst = planned.check(values, 1e-6);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->relative, 0);
  given.plan.tensors[1].offset = 0;
  const auto wrong = PlannedModel(given.plan, given.backends.all(), &values).check(values, 1e-6);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->tensor, "y");
}

TEST(PlannedModel, RefusesStridesThatACallDoesNotTake) {
  OfAPart given;
  given.plan.steps[0].work.operands[0].strides = {2};
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), nullptr); }),
              HasSubstr("does not take tensors in strides"));
  given.plan.steps[0].work.operands[0].strides = {2, 1};
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), nullptr); }),
              HasSubstr("its strides are not those of its tensors"));
  given.plan.steps[0].work.operands[0].strides.clear();
  given.plan.steps[0].work.operands[0].offset = -4;
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), nullptr); }),
              HasSubstr("begins at an element"));
}

/// y = relu(table[ids]) with a table of 5 rows of 4.
struct Embedding {
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  Image table = planned_model_pattern(20, 5);
  Plan plan;
  std::map<std::string, Image> values{{"table", table}, {"ids", {4, -5, 1}}};

  explicit Embedding(const std::string& type) {
    const harness::Variant relu{parse("relu/3x4"), Precision::fp32, Layout::plain, ""};
    const std::int64_t index_bytes = type == "int64" ? 8 : 4;
    plan = {
        .model = "m",
        .precision = "fp32",
        .arena_bytes = 256,
        .tensors = {{.name = "table", .type = "float", .shape = Dims{5, 4}},
                    {.name = "ids", .type = type, .shape = Dims{3}, .buffer = 0},
                    {.name = "rows", .type = "float", .shape = Dims{3, 4}, .buffer = 1},
                    {.name = "y", .type = "float", .shape = Dims{3, 4}, .buffer = 2}},
        .buffers = {{.elements = 3, .bytes = 3 * index_bytes, .offset = 0, .first = 0, .last = 1},
                    {.elements = 12, .bytes = 48, .offset = 64, .first = 0, .last = 1},
                    {.elements = 12, .bytes = 48, .offset = 128, .first = 1, .last = 1}},
        .steps = {{.call = "copy/12_f1_t1/fp32/plain/onednn/any",
                   .work = {.problem = "copy/12_f1_t1",
                            .operands = {{.index = 0}, {.index = 1}},
                            .proxy = true,
                            .gather =
                                GatheredRows{.outer = 1, .extent = 5, .count = 3, .inner = 4}},
                   .results = {2}},
                  {.call =
                       "relu/3x4/fp32/plain/onednn/" +
                       backends.all().front()->ways(relu, harness::AlgorithmSet::best).front().name,
                   .work = {.problem = "relu/3x4", .operands = {{.index = 2}}},
                   .results = {3}}},
        .inputs = {1},
        .results = {3}};
    for (const std::size_t row : {4, 0, 1}) {
      values["rows"].insert(values["rows"].end(), table.begin() + static_cast<long>(4 * row),
                            table.begin() + static_cast<long>(4 * row + 4));
    }
    values["y"] = mapped(values["rows"], relu_of);
  }
  static float relu_of(std::size_t, float value) { return std::max(value, 0.0F); }
};

TEST(PlannedModel, GathersRows) {
  for (const char* type : {"int64", "int32"}) {
    const Folder folder;
    Embedding given(type);
    const Values values(test::write_values(folder, "values", given.values));
    PlannedModel planned(given.plan, given.backends.all(), &values);
    const auto worst = planned.check(values, 0);
    ASSERT_TRUE(worst) << type;
    EXPECT_EQ(worst->relative, 0) << type << ' ' << worst->tensor;
    EXPECT_EQ(planned.compared(), 2);
    // Random indices are in range.
    PlannedModel(given.plan, given.backends.all(), nullptr).run();
  }
}

TEST(PlannedModel, NamesTheRowsThatAreWrong) {
  const Folder folder;
  Embedding given("int64");
  given.values["rows"][5] += 1;
  const Values values(test::write_values(folder, "values", given.values));
  PlannedModel planned(given.plan, given.backends.all(), &values);
  EXPECT_EQ(planned.check(values, 1e-6)->tensor, "rows");
}

TEST(PlannedModel, RefusesConstantIndicesBeyondTheRows) {
  const Folder folder;
  Embedding given("int64");
  given.plan.tensors[1].buffer.reset();
  given.plan.inputs.clear();
  given.values["ids"] = {0, 5, 0};
  const Values values(test::write_values(folder, "values", given.values));
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), &values); }),
              HasSubstr("index 5 of 5 rows"));
}

TEST(PlannedModel, RefusesInputsThatChooseNoRow) {
  const Folder folder;
  Embedding given("int32");
  given.values["ids"] = {0, 5, 0};
  const Values values(test::write_values(folder, "values", given.values));
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), &values); }),
              HasSubstr("index 5 of 5 rows"));
}

TEST(PlannedModel, RefusesTablesOfAnotherSize) {
  const Folder folder;
  Embedding given("int64");
  given.values["table"].push_back(1);
  const Values values(test::write_values(folder, "values", given.values));
  EXPECT_THAT(error_of([&] { PlannedModel(given.plan, given.backends.all(), &values); }),
              HasSubstr("a constant of 21 elements for 20"));
}

TEST(PlannedModel, RefusesCallsOfOtherLibraries) {
  Model model(Layout::nchw);
  model.plan.steps[2].call = "add/1x16x6x6_1x16x6x6/fp32/nchw/abacus/beads";
  EXPECT_THAT(error_of([&] { PlannedModel(model.plan, model.backends.all(), nullptr); }),
              HasSubstr("step 3 of 3, add/1x16x6x6_1x16x6x6/fp32/nchw/abacus/beads: no library "
                        "abacus in this program"));
}

}  // namespace
}  // namespace benanza::plan
