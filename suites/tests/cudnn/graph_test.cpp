// What the library's graph interface is asked for, and what it offers for a described H100: nothing
// here needs a GPU.
#include "cudnn/graph_solver.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/file.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Variant variant(const char* key, Precision precision, Layout layout = Layout::plain) {
  return {parse(key), precision, layout, Algorithm()};
}

template <class Shape>
Shape shape_of(const char* key) {
  return std::get<Shape>(parse(key).shape);
}

GraphCall only(std::vector<GraphCall> calls) {
  EXPECT_THAT(calls, SizeIs(1));
  return std::move(calls.at(0));
}

TEST(NormalizationGraph, RowsAreImagesOfOnePixelWithChannelsInnermost) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  const GraphCall call =
      only(normalization_graphs(shape_of<LayerNormalization>(key))(variant(key, Precision::fp16)));
  const TensorFormat rows{Precision::fp16, {128, 768, 1, 1}, {768, 1, 768, 768}};
  const TensorFormat vector{Precision::fp32, {1, 768, 1, 1}, {768, 1, 768, 768}};
  EXPECT_THAT(call.inputs, ElementsAre(rows, vector, vector));
  EXPECT_EQ(call.output, rows);
  EXPECT_THAT(call.bound, SizeIs(4));
  EXPECT_THAT(call.graph.constants(), IsEmpty());
  ASSERT_THAT(call.graph.scalars(), SizeIs(1));
  EXPECT_FLOAT_EQ(call.graph.scalars().front().value, 1e-5F);
}

TEST(NormalizationGraph, WhatTheProblemHasNotIsOnesAndZeros) {
  const char* plain = "layernorm/128x768_e1e-05";
  const GraphCall call = only(
      normalization_graphs(shape_of<LayerNormalization>(plain))(variant(plain, Precision::fp16)));
  EXPECT_THAT(call.inputs, SizeIs(1));
  ASSERT_THAT(call.graph.constants(), SizeIs(2));
  EXPECT_EQ(call.graph.constants()[0].value, 1);
  EXPECT_EQ(call.graph.constants()[1].value, 0);

  const char* rms = "rmsnorm/128x4096_e1e-06_s";
  EXPECT_THAT(
      only(normalization_graphs(shape_of<LayerNormalization>(rms))(variant(rms, Precision::fp16)))
          .graph.constants(),
      IsEmpty());
}

TEST(NormalizationGraph, InstancesLieAsTheLayoutSays) {
  const char* key = "instancenorm/2x64x56x56_e1e-05_sb";
  const auto calls = normalization_graphs(shape_of<InstanceNormalization>(key));
  const GraphCall inner = only(calls(variant(key, Precision::bf16, Layout::nhwc)));
  EXPECT_THAT(inner.inputs.at(0).strides, ElementsAre(200704, 1, 3584, 64));
  EXPECT_THAT(inner.inputs.at(1).dims, ElementsAre(1, 64, 1, 1));
  EXPECT_THAT(inner.inputs.at(1).strides, ElementsAre(64, 1, 64, 64));
  EXPECT_EQ(inner.inputs.at(1).precision, Precision::fp32);
  const GraphCall outer = only(calls(variant(key, Precision::bf16, Layout::nchw)));
  EXPECT_THAT(outer.inputs.at(0).strides, ElementsAre(200704, 3136, 56, 1));
}

TEST(AttentionGraph, BindsQueriesKeysValuesMaskAndResult) {
  const char* masked = "attention/1x12x128x64_k12x128x64_s0.125_m1x1x128x128";
  const GraphCall call =
      only(attention_graphs(shape_of<Attention>(masked))(variant(masked, Precision::fp16)));
  EXPECT_THAT(call.inputs, SizeIs(4));
  EXPECT_THAT(call.bound, SizeIs(5));
  EXPECT_EQ(call.prefix, "");
  EXPECT_THAT(call.output.dims, ElementsAre(1, 12, 128, 64));

  const char* bare = "attention/1x12x128x64_k12x128x64_s0.125";
  const auto calls = attention_graphs(shape_of<Attention>(bare))(variant(bare, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[1].prefix, "unified.");
  EXPECT_THAT(calls[1].bound, SizeIs(4));
}

TEST(AttentionGraph, CausalMasksAreSquare) {
  const char* wide = "attention/1x12x64x64_k12x128x64_s0.125_causal";
  EXPECT_THROW(attention_graphs(shape_of<Attention>(wide))(variant(wide, Precision::fp16)),
               Unsupported);
  const char* square = "attention/1x12x128x64_k12x128x64_s0.125_causal";
  EXPECT_THAT(attention_graphs(shape_of<Attention>(square))(variant(square, Precision::fp16)),
              SizeIs(1));
}

TEST(ActivationGraph, TheInnermostAxisIsTheChannel) {
  const auto output = [](const char* key) {
    return only(activation_graphs(shape_of<Activation>(key))(variant(key, Precision::fp16))).output;
  };
  EXPECT_THAT(output("gelu/2x128x3072").dims, ElementsAre(256, 3072, 1, 1));
  EXPECT_THAT(output("gelu/2x128x3072").strides, ElementsAre(3072, 1, 3072, 3072));
  EXPECT_THAT(output("gelu/8x1000x1x1").dims, ElementsAre(1, 8000, 1, 1));
  EXPECT_THROW(
      activation_graphs(shape_of<Activation>("sign/1x8"))(variant("sign/1x8", Precision::fp16)),
      Unsupported);
}

/// The library, asked about an H100 by its description alone. Most engines are compiled at run
/// time, and the library offers those only where it can load the driver's library: without a
/// driver, the CUDA Toolkit's stub of it will do.
class H100 : public testing::Test {
 protected:
  void SetUp() override {
    // Loaded for good, as the driver is.
    if (dlopen("libcuda.so.1", RTLD_NOW) == nullptr && dlopen(CUDA_STUB, RTLD_NOW) == nullptr) {
      GTEST_SKIP() << "neither the driver's library nor a stub of it: " << dlerror();
    }
    try {
      target_.emplace(read_file(TEST_DATA "/h100_device_properties.json"));
    } catch (const Unsupported& refusal) {
      GTEST_SKIP() << "this cuDNN reads no description of a device: " << refusal.what();
    }
  }

  std::vector<Algorithm> names(const GraphCalls& calls, const Variant& variant) const {
    return graph_algorithms(calls, variant, *target_);
  }

  std::int64_t workspace(const GraphCalls& calls, const Variant& variant) const {
    return graph_workspace(calls, variant, *target_);
  }

 private:
  std::optional<Target> target_;
};

TEST_F(H100, HasEnginesForEveryKindOfRow) {
  for (const char* key : {"layernorm/128x768_e1e-05_sb", "layernorm/128x768_e1e-05_s",
                          "layernorm/128x768_e1e-05", "rmsnorm/128x4096_e1e-06_s"}) {
    const auto calls = normalization_graphs(shape_of<LayerNormalization>(key));
    for (const Precision precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
      const auto found = names(calls, variant(key, precision));
      EXPECT_THAT(found, Not(IsEmpty())) << key;
      EXPECT_THAT(found, Each(StartsWith("engine"))) << key;
      EXPECT_LE(found.size(), 4U) << key;
    }
    EXPECT_THROW(names(calls, variant(key, Precision::int8)), Unsupported);
  }
}

TEST_F(H100, HasEnginesForInstancesInBothLayouts) {
  const char* key = "instancenorm/2x64x56x56_e1e-05_sb";
  const auto calls = normalization_graphs(shape_of<InstanceNormalization>(key));
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    EXPECT_THAT(names(calls, variant(key, Precision::fp16, layout)), Not(IsEmpty()));
  }
}

TEST_F(H100, KnowsNoOtherEngines) {
  const char* key = "layernorm/128x768_e1e-05_sb";
  Variant unknown = variant(key, Precision::fp16);
  unknown.algorithm = "engine123456";
  EXPECT_THROW(workspace(normalization_graphs(shape_of<LayerNormalization>(key)), unknown),
               Unsupported);
}

TEST_F(H100, BuildsTheFirstEngine) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    GTEST_SKIP() << "no GPU: what is compiled at run time cannot be loaded";
  }
  const char* key = "layernorm/128x768_e1e-05_sb";
  const auto calls = normalization_graphs(shape_of<LayerNormalization>(key));
  Variant first = variant(key, Precision::fp16);
  first.algorithm = names(calls, first).front();
  EXPECT_GE(workspace(calls, first), 0);
}

TEST_F(H100, HasEnginesForAttentionOfSixteenBits) {
  for (const char* key :
       {"attention/1x12x128x64_k12x128x64_s0.125", "attention/2x8x128x64_k2x256x64_s0.125",
        "attention/1x12x128x64_k12x128x64_s0.125_m1x1x128x128",
        "attention/1x12x128x64_k12x128x64_s0.125_causal"}) {
    const auto calls = attention_graphs(shape_of<Attention>(key));
    EXPECT_THAT(names(calls, variant(key, Precision::fp16)), Not(IsEmpty())) << key;
    EXPECT_THAT(names(calls, variant(key, Precision::bf16)), Not(IsEmpty())) << key;
    try {
      names(calls, variant(key, Precision::fp32));
      ADD_FAILURE() << "offered: " << key;
    } catch (const Unsupported& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("Tensor Cores")) << key;
    }
  }
}

TEST_F(H100, HasEnginesForFunctionsOfTransformers) {
  for (const char* key :
       {"gelu/128x3072", "gelutanh/128x3072", "erf/128x3072", "swish/128x3072_a1",
        "mish/1x64x56x56", "softsign/1x64x7x7", "pow/128x768_a3", "pow/128x768_a-1", "exp/1x1000",
        "log/1x1000", "softplus/1x1000", "floor/1x1000", "cos/128x64"}) {
    const auto calls = activation_graphs(shape_of<Activation>(key));
    // At fp32 too: the engines say that they may use Tensor Cores, but there is no product.
    for (const Precision precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
      EXPECT_THAT(names(calls, variant(key, precision)), Not(IsEmpty())) << key;
    }
  }
}

}  // namespace
}  // namespace benanza::cudnn
