// Problems as several graphs, one after the other.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/graphs.h"
#include "suites/cudnn/ops/normalization/normalization.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;
using testing::SizeIs;

GraphCalls sequences_of(const char* key, Precision precision = Precision::fp16) {
  return instance_normalization_sequences(shape_of<InstanceNormalization>(key),
                                          variant(key, precision, Layout::nchw));
}

/// The extents of the intermediates, in elements.
std::vector<std::int64_t> intermediates(const GraphCall& sequence) {
  std::vector<std::int64_t> found;
  for (const auto& format : sequence.intermediates) found.push_back(element_count(format.dims));
  return found;
}

TEST(NormalizationSequence, AddsSegmentsThenRows) {
  const GraphCalls found = sequences_of("instancenorm/1x32x65536_e1e-06_sb");
  ASSERT_THAT(found, SizeIs(2));
  // Two sums of 32 x 32 segments, two of 32 rows, and a factor and a term for each row.
  EXPECT_EQ(found[0].prefix, "segments2048.");
  EXPECT_THAT(intermediates(found[0]), ElementsAre(2 * 32 * 32, 2 * 32, 2 * 32));
  EXPECT_THAT(found[0].stages, SizeIs(4));
  EXPECT_EQ(found[1].prefix, "rows.");
  EXPECT_THAT(intermediates(found[1]), ElementsAre(2 * 32, 2 * 32));
  EXPECT_THAT(found[1].stages, SizeIs(3));
  EXPECT_THAT(found[1].inputs, SizeIs(3));
}

TEST(NormalizationSequence, MakesAFactorForEveryChannelOfAGroup) {
  const GraphCalls found = sequences_of(
      "instancenorm/1x32x16x8x8_e1e-06_sb_mul_y1x32x16x1x1_w_add_y1x32x16x1x1_w_swish_a1");
  ASSERT_THAT(found, SizeIs(1));  // rows of 1,024 elements are one segment
  EXPECT_THAT(intermediates(found[0]), ElementsAre(2 * 32, 2 * 512));
  // The last call reads the factors, the terms and x, but none of the problem's other operands.
  std::vector<std::size_t> read;
  for (const auto& tensor : found[0].stages.back().tensors) read.push_back(tensor.memory);
  EXPECT_THAT(
      read, ElementsAre(found[0].intermediate(1), found[0].intermediate(1), 0, found[0].result()));
  EXPECT_EQ(found[0].stages.back().tensors[1].offset, 512);
}

// The library has no elementwise call for one element.
TEST(NormalizationSequence, NormalizesASingleRowByItsSums) {
  const GraphCalls found = sequences_of("instancenorm/1x1x131072_e1e-05_sb");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(intermediates(found[0]), ElementsAre(2 * 64, 2));
  EXPECT_THAT(found[0].stages, SizeIs(3));
}

TEST(NormalizationSequence, RefusesBytes) {
  EXPECT_THROW(sequences_of("instancenorm/1x32x65536_e1e-06_sb", Precision::int8),
               harness::Unsupported);
}

TEST(ReductionSequence, TakesARootOrConverts) {
  const auto calls = [](const char* key, Precision precision) {
    return reduced_sequences(shape_of<Reduction>(key), variant(key, precision, Layout::nchw))
        .front()
        .stages.size();
  };
  EXPECT_EQ(calls("reducemax/4x128x768_a2", Precision::fp16), 2);
  EXPECT_EQ(calls("reducel2/4x128x768_a2", Precision::fp32), 2);
  EXPECT_THROW(calls("reducemax/4x128x768_a2", Precision::fp32), harness::Unsupported);  // one call
  EXPECT_THROW(calls("reducemax/4x128x768_a1", Precision::fp16), harness::Unsupported);  // middle
  EXPECT_THROW(calls("reduceprod/4x128x768_a2", Precision::fp16), harness::Unsupported);
}

TEST(ReductionGraphs, StoreFp32) {
  const auto graphs = [](const char* key, Precision precision) {
    return reduced_graphs(shape_of<Reduction>(key), variant(key, precision, Layout::nchw));
  };
  EXPECT_THAT(graphs("reducemean/4x128x768_a2", Precision::fp32), SizeIs(1));
  EXPECT_THAT(graphs("reducesum/128x768_a0", Precision::tf32), SizeIs(1));
  EXPECT_THROW(graphs("reducemean/4x128x768_a2", Precision::fp16), harness::Unsupported);
  EXPECT_THROW(graphs("reducel2/4x128x768_a2", Precision::fp32), harness::Unsupported);
}

TEST(GraphWay, IsOfACallWithAsManyGraphsAsEngines) {
  nvidia::LazyContext device{nvidia::CudaOptions()};
  Library library(device);
  const auto calls_of = [&](std::string_view name, const char* prefix, std::size_t graphs) {
    const MakeGraphs make = [&](const harness::Variant&) {
      GraphCalls calls(1);
      calls.front().prefix = prefix;
      calls.front().stages.resize(graphs);
      return calls;
    };
    harness::Variant asked = variant("relu/8", Precision::fp32);
    asked.algorithm = name;
    const auto way = graph_way(library, make, asked);
    return way ? way->traits.calls : 0;
  };
  EXPECT_EQ(calls_of("rows.engine1.k24=37_engine1.k24=35", "rows.", 2), 2);
  EXPECT_EQ(calls_of("rows.engine1.k24=37", "rows.", 2), 0);
  EXPECT_EQ(calls_of("product.engine7.k17=4", "product.", 1), 1);
  EXPECT_EQ(calls_of("product.engine7.k17=4", "prod.", 1), 0);
  EXPECT_EQ(calls_of("rows.engine1_engine1", "rows.", 1), 0);
  EXPECT_EQ(calls_of("winograd.engine4", "", 1), 1);
  EXPECT_EQ(calls_of("winograd_nonfused", "", 1), 0);
}

TEST(GraphTraits, AreThoseOfTheEngine) {
  GraphCall call;
  call.transform_amplification = 16;
  call.silent_transforms = {17};
  call.adds_slices = true;
  EXPECT_EQ(traits_of(call, "engine1"), harness::Traits{});
  EXPECT_EQ(traits_of(call, "winograd.engine1"),
            (harness::Traits{.transforms = true, .rounding_amplification = 16}));
  EXPECT_EQ(traits_of(call, "engine17.k2=3"), (harness::Traits{.rounding_amplification = 16}));
  const std::string split = ".k" + std::to_string(CUDNN_KNOB_TYPE_SPLIT_K_SLC) + "=9";
  EXPECT_EQ(traits_of(call, "engine1" + split), (harness::Traits{.partial_sums = 9}));
}

TEST_F(H100, HasEnginesForSequences) {
  const auto engines = [](std::string prefix, int count) {
    std::string regex = prefix + "engine[0-9.k=]+";
    for (int i = 1; i < count; ++i) regex += "_engine[0-9.k=]+";
    return MatchesRegex(regex);
  };
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    const auto norms = [&](const char* key) {
      return sequence_names(instance_normalization_sequences,
                            variant(key, precision, Layout::nchw));
    };
    EXPECT_THAT(norms("instancenorm/1x1x131072_e1e-05_sb"),
                ElementsAre(engines("segments2048.", 3), engines("rows.", 2)));
    EXPECT_THAT(norms("instancenorm/2x32x65536_e1e-06_sb"),
                ElementsAre(engines("segments2048.", 4), engines("rows.", 3)));
    EXPECT_THAT(norms("instancenorm/8x1x64x256_e1e-05"),
                ElementsAre(engines("segments2048.", 4), engines("rows.", 3)));
    EXPECT_THAT(norms("instancenorm/1x32x4x256x256_e1e-06_sb_mul_y1x32x4x1x1_w_add_"
                      "y1x32x4x1x1_w_swish_a1"),
                ElementsAre(engines("segments2048.", 4), engines("rows.", 3)));
    const char* const root = "reducel2/4x128x768_a2";
    EXPECT_THAT(sequence_names(reduced_sequences, variant(root, precision, Layout::nchw)),
                ElementsAre(engines("", 2)));
  }
  const char* const mean = "reducemean/1x128x2048_a2";
  EXPECT_THAT(names(bound(reduced_graphs, shape_of<Reduction>(mean)),
                    variant(mean, Precision::fp32, Layout::nchw)),
              SizeIs(1));
}

}  // namespace
}  // namespace benanza::cudnn
