// A model of two convolutions, with values computed by their definitions.
#include "suites/plan/planned_model.h"

#include <gmock/gmock.h>

#include "core/problem/name.h"
#include "suites/plan/backends.h"
#include "suites/tests/plan/safetensors.h"
#include "suites/tests/plan/two_convolutions.h"

namespace benanza::plan {
namespace {

using benanza::test::error_of;
using benanza::test::Folder;
using testing::HasSubstr;

struct PlannedModels : testing::TestWithParam<Layout> {
  Folder folder;
  TwoConvolutions model{GetParam()};

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
  // A stride of 2 that makes as many pixels, as there is more padding.
  const std::string strided = "conv/1x16x6x6_k16x3x3_p3.3.4.4_s2x2_d1x1_g1";
  model.plan.steps[1].work.problem = strided;
  model.plan.steps[1].call = model.call(strided, GetParam());
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

TEST_P(PlannedModels, NameTheFirstStepWhoseWeightsLieInAnotherOrder) {
  std::map<std::string, Image> values = model.values();
  for (std::size_t i = 0; i < model.w.size(); ++i) {
    // The filters' channels outermost.
    const std::size_t filter = i / 9 / channels;
    const std::size_t channel = i / 9 % channels;
    values["w"][(channel * channels + filter) * 9 + i % 9] = model.w[i];
  }
  const auto found = check(values);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tensor, "a");
  EXPECT_GT(found->relative, 1e-3);
}

TEST_P(PlannedModels, NeedTheirValues) {
  std::map<std::string, Image> values = model.values();
  values.erase("b");
  EXPECT_THAT(error_of([&] { check(values); }), HasSubstr("has no b"));
}

INSTANTIATE_TEST_SUITE_P(Layouts, PlannedModels, testing::Values(Layout::nchw, Layout::any),
                         [](const auto& given) { return std::string(to_string(given.param)); });

TEST(PlannedModel, ConvertsBetweenFormatsAndCountsIt) {
  TwoConvolutions model(Layout::nhwc);
  const PlannedModel planned(model.plan, model.backends.all(), nullptr);
  // x for the first convolution, and c for the sum; a is read as it was written.
  EXPECT_EQ(planned.conversions(), 2);
  EXPECT_EQ(planned.bytes_beyond_arena(), 2 * 16 * 36 * 4);
  TwoConvolutions rows(Layout::nchw);
  EXPECT_EQ(PlannedModel(rows.plan, rows.backends.all(), nullptr).conversions(), 0);
}

TEST(PlannedModel, ConvertsWithTheFastestOfSeveralLibraries) {
  TwoConvolutions model(Layout::nhwc);
  const Folder folder;
  const Values values(test::write_values(folder, "values", model.values()));
  harness::Backend* const one = model.backends.all().front();
  const std::vector<harness::Backend*> twice{one, one};
  PlannedModel planned(model.plan, twice, &values);
  EXPECT_EQ(planned.conversions(), 2);
  const auto worst = planned.check(values, 1e-5);
  ASSERT_TRUE(worst);
  EXPECT_LE(worst->relative, 1e-6) << worst->tensor;
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
  TwoConvolutions model(Layout::nchw);
  model.plan.steps[2].call = "add/1x16x6x6_1x16x6x6/fp32/nchw/abacus/beads";
  EXPECT_THAT(error_of([&] { PlannedModel(model.plan, model.backends.all(), nullptr); }),
              HasSubstr("step 3 of 3, add/1x16x6x6_1x16x6x6/fp32/nchw/abacus/beads: no library "
                        "abacus in this program"));
}

}  // namespace
}  // namespace benanza::plan
