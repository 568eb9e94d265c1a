// What the library's graph interface offers for a described H100: nothing here needs a GPU.
#include "cudnn/graph_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

using testing::IsEmpty;
using testing::Not;

const Target& h100() {
  static const Target target(read_file(std::string(TEST_DATA) + "/h100_device_properties.json"));
  return target;
}

Variant variant(const char* key, Precision precision) {
  return {parse(key), precision, Layout::plain, Algorithm()};
}

template <class Shape>
Shape shape_of(const char* key) {
  return std::get<Shape>(parse(key).shape);
}

TEST(GraphNormalization, HasEnginesForEveryKindOfRow) {
  for (const char* key : {"layernorm/128x768_e1e-05_sb", "layernorm/128x768_e1e-05_s",
                          "layernorm/128x768_e1e-05", "rmsnorm/128x4096_e1e-06_s"}) {
    const auto calls = normalization_graphs(shape_of<LayerNormalization>(key));
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
      EXPECT_THAT(graph_algorithms(calls, variant(key, precision), h100()), Not(IsEmpty())) << key;
    }
    EXPECT_THROW(graph_algorithms(calls, variant(key, Precision::int8), h100()), Unsupported);
  }
}

TEST(GraphNormalization, ItsFirstEngineBuilds) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  const auto calls = normalization_graphs(shape_of<LayerNormalization>(key));
  Variant first = variant(key, Precision::fp16);
  first.algorithm = graph_algorithms(calls, first, h100()).front();
  EXPECT_GE(graph_workspace(calls, first, h100()), 0);
  first.algorithm = "engine123456";
  EXPECT_THROW(graph_workspace(calls, first, h100()), Unsupported);
}

TEST(GraphAttention, HasEnginesForSixteenBits) {
  for (const char* key :
       {"attention/1x12x128x64_k12x128x64_s0.125", "attention/2x8x128x64_k2x256x64_s0.125",
        "attention/1x12x128x64_k12x128x64_s0.125_m1x1x128x128"}) {
    const auto calls = attention_graphs(shape_of<Attention>(key));
    EXPECT_THAT(graph_algorithms(calls, variant(key, Precision::fp16), h100()), Not(IsEmpty()))
        << key;
    EXPECT_THROW(graph_algorithms(calls, variant(key, Precision::fp32), h100()), Unsupported);
  }
}

TEST(GraphActivation, HasEnginesForFunctionsOfTransformers) {
  for (const char* key : {"gelu/128x3072", "gelutanh/128x3072", "erf/128x3072", "mish/1x64x56x56",
                          "softsign/1x64x7x7", "pow/128x768_a3", "pow/128x768_a-1", "exp/1x1000",
                          "log/1x1000", "softplus/1x1000", "floor/1x1000", "cos/128x64"}) {
    const auto calls = activation_graphs(shape_of<Activation>(key));
    EXPECT_THAT(graph_algorithms(calls, variant(key, Precision::fp16), h100()), Not(IsEmpty()))
        << key;
  }
  const auto sign = activation_graphs(shape_of<Activation>("sign/1x8"));
  EXPECT_THROW(graph_algorithms(sign, variant("sign/1x8", Precision::fp16), h100()), Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
