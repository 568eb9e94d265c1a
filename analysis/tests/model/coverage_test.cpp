// Layers that are counted at the fallback.
#include <gtest/gtest.h>

#include "analysis/model/layer_time.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::ms;
using test::refused;

TEST(Coverage, CountsLayersAtTheFallback) {
  const Graph graph{.model = "m", .layers = {layer("a", {}), layer("b", {0})}};
  MeasurementSet set = test::steady({{"a", ms}, {"b", ms}});
  set.add(measured("relu/a/int8/nchw/onednn/jit", {ms}));
  set.add(refused("relu/b/int8/nchw/onednn/none", Status::unsupported, "no primitive"));
  const MeasurementFilter filter{.precision = Precision::int8, .fallback = Precision::fp32};
  const Coverage result = coverage(graph, layer_times(graph, set, filter), Precision::int8);
  EXPECT_EQ(result.of(LayerStatus::measured).layers, 2);
  EXPECT_EQ(result.at_fallback, 1);
}

}  // namespace
}  // namespace benanza::analysis
