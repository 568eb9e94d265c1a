#include "analysis/model/bounds.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;

/// A convolution, a reshape, a softmax and two layers that read its result, each with a result of
/// 10 elements.
struct ConvertedChain {
  Graph graph{.layers = {layer("conv", {}), layer("reshape", {0}, Cost::free),
                         layer("softmax", {1}), layer("left", {2}), layer("right", {2})}};
  std::vector<Measurement> calls;
  std::vector<LayerTime> times;

  explicit ConvertedChain(const std::vector<std::string>& precisions) {
    for (Layer& one : graph.layers) one.outputs.front().shape = {2, 5};
    for (const std::string& precision : precisions) {
      calls.push_back(test::measured("relu/8/" + precision + "/nchw/onednn/jit", {1e-6}));
    }
    for (std::size_t i = 0; i < precisions.size(); ++i) {
      const bool is_free = graph.layers[i].cost == Cost::free;
      times.push_back({.status = is_free ? LayerStatus::free : LayerStatus::measured});
      if (!is_free) times.back().calls = {&calls[i]};
    }
  }
};

TEST(Conversions, CountATensorOnceForAllReadersOfOneType) {
  // int8 -> fp32 for the softmax, and its result fp32 -> int8 for both readers.
  const ConvertedChain chain({"int8", "int8", "fp32", "int8", "int8"});
  const Conversions found = conversions(chain.graph, chain.times);
  EXPECT_EQ(found.tensors, 2U);
  EXPECT_EQ(found.bytes, 2 * 10 * (1 + 4));
}

TEST(Conversions, AreNoneAtOnePrecision) {
  const ConvertedChain chain({"int8", "int8", "int8", "int8", "int8"});
  EXPECT_EQ(conversions(chain.graph, chain.times).tensors, 0U);
}

TEST(Conversions, OfUnknownShapesHaveUnknownBytes) {
  ConvertedChain chain({"int8", "int8", "fp32", "fp32", "fp32"});
  chain.graph.layers[0].outputs.front().shape.reset();
  const Conversions found = conversions(chain.graph, chain.times);
  EXPECT_EQ(found.tensors, 1U);
  EXPECT_EQ(found.bytes, std::nullopt);
}

}  // namespace
}  // namespace benanza::analysis
