// The graphs given to the library, and the engines it offers for a described H100. Nothing here
// needs a GPU.
#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/ops/attention.h"
#include "suites/cudnn/ops/normalization/normalization.h"
#include "suites/tests/cudnn/h100.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "suites/cudnn/api/status.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

GraphsOf graphs_of(const LayerNormalization& shape) {
  return bound(layer_normalization_graphs, shape);
}
GraphsOf graphs_of(const InstanceNormalization& shape) {
  return bound(instance_normalization_graphs, shape);
}
GraphsOf graphs_of(const Attention& shape) { return bound(attention_graphs, shape); }
GraphsOf graphs_of(const Activation& shape) { return bound(activation_graphs, shape); }

TEST(NormalizationGraph, RowsAreImagesOfOnePixelWithChannelsInnermost) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  const GraphCall call =
      only(graphs_of(shape_of<LayerNormalization>(key))(variant(key, Precision::fp32)));
  const nvidia::TensorFormat rows{Precision::fp32, {128, 768, 1, 1}, {768, 1, 768, 768}};
  const nvidia::TensorFormat vector{Precision::fp32, {1, 768, 1, 1}, {768, 1, 768, 768}};
  EXPECT_THAT(call.inputs, ElementsAre(rows, vector, vector));
  EXPECT_EQ(call.output, rows);
  EXPECT_THAT(call.bound, SizeIs(4));
  EXPECT_THAT(call.graph().constants(), IsEmpty());
  ASSERT_THAT(call.graph().scalars(), SizeIs(1));
  EXPECT_FLOAT_EQ(std::get<float>(call.graph().scalars().front().value), 1e-5F);
}

TEST(NormalizationGraph, ScaleAndBiasAreAsPreciseAsTheDataOrFp32) {
  const auto calls = [](const char* key, Precision precision) {
    return graphs_of(shape_of<LayerNormalization>(key))(variant(key, precision));
  };
  const auto half = calls("layernorm/128x768_e1e-05_sb", Precision::fp16);
  ASSERT_THAT(half, SizeIs(2));
  EXPECT_EQ(half[0].prefix, "");
  EXPECT_EQ(half[0].inputs.at(1).precision, Precision::fp16);
  EXPECT_EQ(half[1].prefix, "fp32vectors.");
  EXPECT_EQ(half[1].inputs.at(0).precision, Precision::fp16);
  EXPECT_EQ(half[1].inputs.at(1).precision, Precision::fp32);
  EXPECT_THAT(calls("layernorm/128x768_e1e-05", Precision::fp16), SizeIs(1));
}

TEST(NormalizationGraph, WhatTheProblemHasNotIsOnesAndZeros) {
  const char* plain = "layernorm/128x768_e1e-05";
  const GraphCall call =
      only(graphs_of(shape_of<LayerNormalization>(plain))(variant(plain, Precision::fp16)));
  EXPECT_THAT(call.inputs, SizeIs(1));
  ASSERT_THAT(call.graph().constants(), SizeIs(2));
  EXPECT_EQ(call.graph().constants()[0].values, std::vector<float>{1});
  EXPECT_EQ(call.graph().constants()[1].values, std::vector<float>{0});

  const char* rms = "rmsnorm/128x4096_e1e-06_s";
  EXPECT_THAT(only(graphs_of(shape_of<LayerNormalization>(rms))(variant(rms, Precision::tf32)))
                  .graph()
                  .constants(),
              IsEmpty());
}

TEST(NormalizationGraph, InstancesLieAsTheLayoutSays) {
  const char* key = "instancenorm/2x64x56x56_e1e-05_sb";
  const auto calls = graphs_of(shape_of<InstanceNormalization>(key));
  const auto all = calls(variant(key, Precision::bf16, Layout::nhwc));
  ASSERT_THAT(all, SizeIs(2));
  const GraphCall& inner = all[1];
  EXPECT_THAT(inner.inputs.at(0).strides, ElementsAre(200704, 1, 3584, 64));
  EXPECT_THAT(inner.inputs.at(1).dims, ElementsAre(1, 64, 1, 1));
  EXPECT_THAT(inner.inputs.at(1).strides, ElementsAre(64, 1, 64, 64));
  EXPECT_EQ(inner.inputs.at(1).precision, Precision::fp32);
  const GraphCall outer = only(calls(variant(key, Precision::fp32, Layout::nchw)));
  EXPECT_THAT(outer.inputs.at(0).strides, ElementsAre(200704, 3136, 56, 1));
}

TEST(AttentionGraph, BindsQueriesKeysValuesMaskAndResult) {
  const char* masked = "attention/1x12x128x64_k12x128x64_s0.125_m1x1x128x128";
  const GraphCall call =
      only(graphs_of(shape_of<Attention>(masked))(variant(masked, Precision::fp16)));
  EXPECT_THAT(call.inputs, SizeIs(4));
  EXPECT_THAT(call.bound, SizeIs(5));
  EXPECT_EQ(call.prefix, "");
  EXPECT_THAT(call.output.dims, ElementsAre(1, 12, 128, 64));

  const char* bare = "attention/1x12x128x64_k12x128x64_s0.125";
  const auto calls = graphs_of(shape_of<Attention>(bare))(variant(bare, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[1].prefix, "unified.");
  EXPECT_THAT(calls[1].bound, SizeIs(4));
}

TEST(AttentionGraph, OfThirtyTwoBitsIsThePatternAlone) {
  const char* bare = "attention/1x12x128x64_k12x128x64_s0.125";
  const GraphCall call = only(graphs_of(shape_of<Attention>(bare))(variant(bare, Precision::tf32)));
  EXPECT_EQ(call.prefix, "");
}

TEST(AttentionGraph, EveryQuerySeesAKey) {
  const char* tall = "attention/1x12x128x64_k12x64x64_s0.125_causal";
  EXPECT_THROW(graphs_of(shape_of<Attention>(tall))(variant(tall, Precision::fp16)),
               harness::Unsupported);
  for (const char* key : {"attention/1x12x128x64_k12x128x64_s0.125_causal",
                          "attention/1x12x65x64_k12x128x64_s0.125_causal"}) {
    EXPECT_THAT(graphs_of(shape_of<Attention>(key))(variant(key, Precision::fp16)), SizeIs(1));
  }
}

// 8 heads of 3 queries are 24 of one, each with the keys that its query sees.
TEST(AttentionGraph, TakesFewQueriesAsHeads) {
  const char* key = "attention/2x8x3x64_k4x128x64_s0.125_causal_w16";
  harness::Variant few = variant(key, Precision::bf16);
  const auto calls = graphs_of(shape_of<Attention>(key))(few);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[1].prefix, "queries.");
  EXPECT_THAT(calls[1].inputs[0].dims, ElementsAre(2, 24, 1, 64));
  EXPECT_THAT(calls[1].inputs[1].dims, ElementsAre(2, 4, 128, 64));
  EXPECT_THAT(calls[1].output.dims, ElementsAre(2, 24, 1, 64));
  // Of each head, queries 0 to 2 see the keys up to 125, 126 and 127.
  ASSERT_THAT(calls[1].graph().constants(), SizeIs(1));
  EXPECT_THAT(calls[1].graph().constants()[0].format.dims, ElementsAre(1, 24, 1, 128));
  const std::vector<float> mask = calls[1].graph().constants()[0].elements();
  ASSERT_THAT(mask, SizeIs(24 * 128));
  for (const std::size_t head : {0, 7}) {
    for (const std::size_t query : {0, 1, 2}) {
      const auto row = mask.begin() + static_cast<std::ptrdiff_t>((head * 3 + query) * 128);
      EXPECT_EQ(std::count(row, row + 128, 0.F), 16);
      EXPECT_EQ(row[static_cast<std::ptrdiff_t>(125 + query)], 0);
      EXPECT_EQ(row[static_cast<std::ptrdiff_t>(109 + query)], -30000);
    }
  }
  // Heads in rows are not in one row of queries; keys in a cache with room are what they are.
  few.strides.operands = {{}, {65536, 16384, 64, 1}, {}};
  EXPECT_THAT(graphs_of(shape_of<Attention>(key))(few), SizeIs(2));
  few.strides.result = {1536, 64, 512, 1};
  EXPECT_THAT(graphs_of(shape_of<Attention>(key))(few), SizeIs(1));
  for (const char* other : {"attention/2x8x1x64_k4x128x64_s0.125_m1x1x1x128",
                            "attention/2x8x3x64_k4x128x64_s0.125_m1x1x3x128",
                            "attention/2x8x3x64_k4x128x64_s0.125_causal_sink",
                            "attention/2x8x65x64_k4x128x64_s0.125_causal",
                            "attention/2x8x3x64_k4x3x64_s0.125_causal"}) {
    EXPECT_THAT(graphs_of(shape_of<Attention>(other))(variant(other, Precision::bf16)), SizeIs(1))
        << other;
  }
}

TEST(AttentionGraph, BindsSinksInFp32) {
  const char* key = "attention/1x64x128x64_k8x128x64_s0.125_causal_w128_sink";
  const GraphCall call = only(graphs_of(shape_of<Attention>(key))(variant(key, Precision::bf16)));
  ASSERT_THAT(call.inputs, SizeIs(4));
  EXPECT_THAT(call.inputs[3].dims, ElementsAre(1, 64, 1, 1));
  EXPECT_EQ(call.inputs[3].precision, Precision::fp32);
  EXPECT_THAT(call.bound, SizeIs(5));
}

TEST_F(H100, HasEnginesForEveryKindOfRow) {
  for (const char* key : {"layernorm/128x768_e1e-05_sb", "layernorm/128x768_e1e-05_s",
                          "layernorm/128x768_e1e-05", "rmsnorm/128x4096_e1e-06_s"}) {
    const auto calls = graphs_of(shape_of<LayerNormalization>(key));
    for (const Precision precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
      const auto found = names(calls, variant(key, precision));
      EXPECT_THAT(found, Not(IsEmpty())) << key;
      EXPECT_THAT(found, Each(HasSubstr("engine"))) << key;
      EXPECT_LE(found.size(), 12U) << key;
    }
    EXPECT_THROW(names(calls, variant(key, Precision::int8)), harness::Unsupported);
  }
}

TEST_F(H100, OffersNoEngineThatIsWrong) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  const auto found =
      names(graphs_of(shape_of<LayerNormalization>(key)), variant(key, Precision::fp32));
  EXPECT_THAT(found, Not(Contains(StartsWith("engine5."))));
  EXPECT_THAT(found, Not(Contains("engine5")));
  EXPECT_THAT(found, Contains(StartsWith("engine4")));
}

TEST_F(H100, IsAskedOnceAboutEqualGraphs) {
  const auto relu = [&](const char* key, Precision precision, Layout layout) {
    auto calls = graphs_of(shape_of<Activation>(key))(variant(key, precision, layout));
    return plans_->known(std::move(calls.at(0).graph()), EngineQuery());
  };
  const auto first = relu("relu/1x64x56x56", Precision::fp32, Layout::nchw);
  EXPECT_EQ(first, relu("relu/1x64x56x56", Precision::fp32, Layout::nhwc));
  EXPECT_EQ(first, relu("relu/1x64x56x56", Precision::tf32, Layout::nchw));
  EXPECT_NE(first, relu("relu/1x64x56x56", Precision::fp16, Layout::nchw));
  EXPECT_NE(first, relu("relu/1x32x56x56", Precision::fp32, Layout::nchw));
  EXPECT_NE(first, relu("tanh/1x64x56x56", Precision::fp32, Layout::nchw));
  EXPECT_NE(first, relu("leakyrelu/1x64x56x56_a0.1", Precision::fp32, Layout::nchw));
  EXPECT_NE(relu("leakyrelu/1x64x56x56_a0.2", Precision::fp32, Layout::nchw),
            relu("leakyrelu/1x64x56x56_a0.1", Precision::fp32, Layout::nchw));
}

TEST_F(H100, MultipliesOnTensorCoresOnlyWhereThereIsAProduct) {
  const auto claims = [&](GraphCall call) {
    std::vector<bool> all;
    for (const EngineChoice& choice :
         plans_->known(std::move(call.graph()), EngineQuery())->choices) {
      all.push_back(choice.tensor_cores);
    }
    return all;
  };
  const char* relu = "relu/1x64x56x56";
  EXPECT_THAT(claims(only(graphs_of(shape_of<Activation>(relu))(variant(relu, Precision::fp16)))),
              Each(false));
  const char* masked = "attention/1x12x128x64_k12x128x64_s0.125_m1x1x128x128";
  EXPECT_THAT(
      claims(only(graphs_of(shape_of<Attention>(masked))(variant(masked, Precision::fp16)))),
      Contains(true));
}

TEST_F(H100, KnowsNoOtherEngines) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  harness::Variant unknown = variant(key, Precision::fp16);
  unknown.algorithm = "engine123456";
  EXPECT_THROW(workspace(graphs_of(shape_of<LayerNormalization>(key)), unknown),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
