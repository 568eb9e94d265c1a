
#include <gmock/gmock.h>

#include "analysis/questions/report/overview.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::layer;
using test::measured;
using test::ms;
using testing::AllOf;
using testing::HasSubstr;

/// Two layers of 4 ms; at int8, of which b has no call, a takes 1 ms.
Inputs two_precisions() {
  Inputs inputs;
  inputs.graphs = {Graph{.model = "m", .batch = 1, .layers = {layer("a", {}), layer("b", {0})}}};
  inputs.filters = {{}, {.precision = Precision::int8, .fallback = Precision::fp32}};
  MeasurementSet& set = inputs.results.measurements;
  set.add(measured("relu/a/fp32/nchw/onednn/jit", five(4 * ms)));
  set.add(measured("relu/b/fp32/nchw/onednn/jit", five(4 * ms)));
  set.add(measured("relu/a/int8/nchw/onednn/jit", five(1 * ms)));
  set.add(test::refused("relu/b/int8/nchw/onednn/jit", Status::unsupported, "no int8"));
  return inputs;
}

TEST(Precisions, StandSideBySideLayerByLayer) {
  const Inputs inputs = two_precisions();
  const auto section = precisions_section(inputs, inputs.graphs.front());
  ASSERT_TRUE(section);
  EXPECT_EQ(section->group, "m, batch 1");
  EXPECT_EQ(page_table({.sections = {*section}}, 9), R"(precisions side by side
  fp32  8.000 ms
  int8  5.000 ms, 1.60 times as fast as fp32

  layers at each precision; -: not in that bound
  layer  op    fp32 us  int8 us  fp32 / int8
  a      Relu   4000.0   1000.0        4.00x
  b      Relu   4000.0   4000.0        1.00x
)");
}

TEST(Precisions, OfOneThereIsNothingToSay) {
  Inputs inputs = two_precisions();
  inputs.filters.pop_back();
  EXPECT_FALSE(precisions_section(inputs, inputs.graphs.front()));
}

TEST(Overview, BoundsOfSeveralPrecisionsAreOneRowAModel) {
  Overview overview;
  for (const auto& [model, precision, bound] :
       {std::tuple{"m", Precision::fp32, 8 * ms}, std::tuple{"m", Precision::int8, 5 * ms},
        std::tuple{"n", Precision::fp32, 2 * ms}}) {
    overview.add_model(model, precision);
    overview.add({.title = "LBL sequential ms", .cell = cell(bound, milli)});
  }
  const std::string text = page_table({.sections = {std::move(overview).section()}}, 9);
  EXPECT_THAT(text, AllOf(HasSubstr("  m, int8              5.000\n"),
                          HasSubstr("  model   fp32   int8\n"
                                    "  m      8.000  5.000\n"
                                    "  n      2.000      -\n")));
}

}  // namespace
}  // namespace benanza::analysis
