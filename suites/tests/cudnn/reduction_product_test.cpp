// Reductions as products with ones.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/graphs.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::SizeIs;

GraphsOf reduction_graphs_of(const char* key) {
  return bound(reduction_graphs, shape_of<Reduction>(key));
}

TEST(ReductionGraph, HasOnesOfItsOwn) {
  struct Case {
    const char* key;
    Layout layout;
    Dims ones;
  };
  for (const Case& one : {
           Case{"reducesum/2x6x5_a2", Layout::nchw, {1, 5, 1}},        // rows
           Case{"reducel2/2x6x5_a2", Layout::nhwc, {2, 1, 5}},         // 6 channels behind 5 pixels
           Case{"reducesumsquare/2x6x5_a1", Layout::nchw, {2, 1, 6}},  // columns
           Case{"reducel1/2x3x4x5_a2.3", Layout::nhwc, {2, 1, 20}},    // pixels
           Case{"reducemean/2x3x4x5_a1.2.3", Layout::nhwc, {1, 60, 1}}  // whole images
       }) {
    const auto calls = reduction_graphs_of(one.key)(variant(one.key, Precision::fp16, one.layout));
    ASSERT_THAT(calls, SizeIs(1));
    EXPECT_EQ(calls[0].prefix, "product.");
    EXPECT_THAT(calls[0].bound, SizeIs(2));
    ASSERT_THAT(calls[0].graph().constants(), SizeIs(1));
    EXPECT_EQ(calls[0].graph().constants()[0].format.dims, one.ones) << one.key;
    EXPECT_EQ(calls[0].graph().constants()[0].values, std::vector<float>{1});
  }
}

TEST(ReductionGraph, SaysWhatItCannotDo) {
  for (const auto& [key, precision] : {std::pair{"reducemax/2x6x5_a2", Precision::fp16},
                                       std::pair{"reducesum/2x6x5_a0.2", Precision::fp16},
                                       std::pair{"reducesum/2x6x5_a2_relu", Precision::fp16},
                                       std::pair{"reducesum/2x6x5_a2", Precision::int8}}) {
    EXPECT_THROW(reduction_graphs_of(key)(variant(key, precision, Layout::nchw)),
                 harness::Unsupported)
        << key;
  }
}

}  // namespace
}  // namespace benanza::cudnn
