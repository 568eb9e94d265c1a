#include "suites/cudnn/ops/softmax.h"

#include <gtest/gtest.h>

#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

using Algorithms = std::vector<harness::Algorithm>;

TEST(SoftmaxDims, AnyAxisBecomesTheChannels) {
  const auto dims = [](std::string_view key) { return softmax_dims(shape_of<Softmax>(key)); };
  EXPECT_EQ(dims("softmax/8x1000_a1"), (Dims{8, 1000, 1, 1}));
  EXPECT_EQ(dims("softmax/8x1000_a0"), (Dims{1, 8, 1000, 1}));
  EXPECT_EQ(dims("softmax/2x12x128x64_a3"), (Dims{2 * 12 * 128, 64, 1, 1}));
  EXPECT_EQ(dims("softmax/2x21x65x33_a1"), (Dims{2, 21, 65 * 33, 1}));
}

TEST(SoftmaxAlgorithms, BothModesOnlyWhereTheyAreOneFunction) {
  const auto names = [](std::string_view key) {
    return softmax_algorithms(shape_of<Softmax>(key));
  };
  EXPECT_EQ(names("softmax/8x1000_a1"),
            (Algorithms{"accurate.instance", "accurate.channel", "fast.instance", "fast.channel"}));
  EXPECT_EQ(names("softmax/8x10x7x7_a1"), (Algorithms{"accurate.channel", "fast.channel"}));
  EXPECT_EQ(names("logsoftmax/8x1000_a1"), (Algorithms{"log.instance", "log.channel"}));
}

TEST(SoftmaxAlgorithms, NamesReadBack) {
  EXPECT_EQ(parse_softmax_algorithm("accurate.instance"),
            (SoftmaxCall{CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE}));
  EXPECT_EQ(parse_softmax_algorithm("fast.channel"),
            (SoftmaxCall{CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_MODE_CHANNEL}));
  EXPECT_EQ(parse_softmax_algorithm("log.channel"),
            (SoftmaxCall{CUDNN_SOFTMAX_LOG, CUDNN_SOFTMAX_MODE_CHANNEL}));
  EXPECT_THROW(parse_softmax_algorithm("log"), std::invalid_argument);
  EXPECT_THROW(parse_softmax_algorithm("log.row"), std::invalid_argument);
  EXPECT_THROW(parse_softmax_algorithm("slow.channel"), std::invalid_argument);
}

}  // namespace
}  // namespace benanza::cudnn
