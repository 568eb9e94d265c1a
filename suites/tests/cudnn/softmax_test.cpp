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
    Algorithms names;
    for (const SoftmaxCall& call : softmax_calls(shape_of<Softmax>(key))) {
      names.push_back(call.name);
    }
    return names;
  };
  EXPECT_EQ(names("softmax/8x1000_a1"), (Algorithms{"accurate.instance", "accurate.channel"}));
  EXPECT_EQ(names("softmax/8x10x7x7_a1"), (Algorithms{"accurate.channel"}));
  EXPECT_EQ(names("logsoftmax/8x1000_a1"), (Algorithms{"log.instance", "log.channel"}));
}

TEST(SoftmaxAlgorithms, AreWhatTheirNamesSay) {
  const auto calls = softmax_calls(shape_of<Softmax>("softmax/8x1000_a1"));
  EXPECT_EQ(calls[0].algorithm, CUDNN_SOFTMAX_ACCURATE);
  EXPECT_EQ(calls[0].mode, CUDNN_SOFTMAX_MODE_INSTANCE);
  EXPECT_EQ(calls[1].algorithm, CUDNN_SOFTMAX_ACCURATE);
  EXPECT_EQ(calls[1].mode, CUDNN_SOFTMAX_MODE_CHANNEL);
  EXPECT_EQ(softmax_calls(shape_of<Softmax>("logsoftmax/8x1000_a1"))[1].algorithm,
            CUDNN_SOFTMAX_LOG);
}

}  // namespace
}  // namespace benanza::cudnn
