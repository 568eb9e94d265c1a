#include "suites/cudnn/ops/recurrent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

RecurrentCall mapped_recurrent(std::string_view key, Precision precision = Precision::fp32) {
  return map_recurrent(shape_of<Recurrent>(key), precision);
}

TEST(MapRecurrent, EveryKindIsItself) {
  EXPECT_EQ(mapped_recurrent("rnntanh/t5_n2_i3_h4_l1_forward").mode, CUDNN_RNN_TANH);
  EXPECT_EQ(mapped_recurrent("rnnrelu/t5_n2_i3_h4_l1_forward").mode, CUDNN_RNN_RELU);
  EXPECT_EQ(mapped_recurrent("lstm/t5_n2_i3_h4_l1_forward").mode, CUDNN_LSTM);
  EXPECT_EQ(mapped_recurrent("gru/t5_n2_i3_h4_l1_forward_lbr").mode, CUDNN_GRU);
}

TEST(MapRecurrent, OtherFunctionsAreRefused) {
  EXPECT_THROW(mapped_recurrent("lstm/t5_n2_i3_h4_l1_reverse"), harness::Unsupported);
  EXPECT_THROW(mapped_recurrent("gru/t5_n2_i3_h4_l1_forward"), harness::Unsupported);
}

TEST(MapRecurrent, BiasIsTwoVectorsOrNone) {
  EXPECT_EQ(mapped_recurrent("lstm/t5_n2_i3_h4_l1_forward_bias").bias, CUDNN_RNN_DOUBLE_BIAS);
  EXPECT_EQ(mapped_recurrent("lstm/t5_n2_i3_h4_l1_forward").bias, CUDNN_RNN_NO_BIAS);
}

// 5 steps, 2 batch entries, hidden 4: each step is stored as entry 0 forward, backward, entry 1
// forward, backward.
TEST(MapRecurrent, DirectionsOfAStepLieTogether) {
  const auto call = mapped_recurrent("lstm/t5_n2_i3_h4_l1_bidirectional", Precision::fp16);
  EXPECT_EQ(call.direction, CUDNN_BIDIRECTIONAL);
  EXPECT_EQ(call.layout, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED);
  EXPECT_EQ(call.input, (nvidia::TensorFormat{Precision::fp16, {5, 2, 3}, {6, 3, 1}}));
  EXPECT_EQ(call.output, (nvidia::TensorFormat{Precision::fp16, {5, 2, 2, 4}, {16, 4, 8, 1}}));
  EXPECT_EQ(call.state, (nvidia::TensorFormat{Precision::fp16, {2, 2, 4}, {8, 4, 1}}));
}

TEST(MapRecurrent, BatchFirstIsTheLibrarysLayout) {
  const auto call = mapped_recurrent("lstm/t5_n2_i3_h4_l1_bidirectional_batchfirst");
  EXPECT_EQ(call.layout, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
  EXPECT_EQ(call.flags, CUDNN_RNN_PADDED_IO_ENABLED);
  EXPECT_EQ(call.input.dims, (Dims{2, 5, 3}));
  EXPECT_EQ(call.output, (nvidia::TensorFormat{Precision::fp32, {2, 5, 2, 4}, {40, 8, 4, 1}}));
}

// y, then h, then an lstm's c: verification samples all of them.
TEST(MapRecurrent, ResultsAreTheProblemsInItsOrder) {
  for (const char* key :
       {"lstm/t5_n2_i3_h4_l1_forward", "lstm/t5_n2_i3_h4_l2_bidirectional_initial_final",
        "lstm/t5_n2_i3_h4_l1_forward_bias_initial_final_training",
        "gru/t5_n2_i3_h4_l2_bidirectional_lbr_final_batchfirst"}) {
    const auto shape = shape_of<Recurrent>(key);
    std::int64_t elements = 0;
    for (const auto& result : recurrent_results(shape, mapped_recurrent(key))) {
      elements += element_count(result.dims);
    }
    EXPECT_EQ(elements, element_count(shape.output())) << key;
  }
  const auto results =
      recurrent_results(shape_of<Recurrent>("lstm/t5_n2_i3_h4_l2_bidirectional_final"),
                        mapped_recurrent("lstm/t5_n2_i3_h4_l2_bidirectional_final"));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].dims, (Dims{5, 2, 2, 4}));
  EXPECT_EQ(results[1].dims, (Dims{4, 2, 4}));
  EXPECT_EQ(results[2].dims, (Dims{4, 2, 4}));
}

/// The first row of each of the library's matrices of layer 0, by the matrix's index.
std::map<int, std::int64_t> first_rows(std::string_view key) {
  const auto shape = shape_of<Recurrent>(key);
  std::map<int, std::int64_t> rows;
  for (const WeightBlock& block : weight_blocks(shape)) {
    if (block.pseudo_layer == 0) rows[block.matrix] = block.begin / block.columns;
  }
  return rows;
}

// cuDNN: input, forget, new memory, output; ONNX: input, output, forget, cell.
TEST(WeightBlocks, LstmGatesGoToTheirPlaces) {
  EXPECT_EQ(first_rows("lstm/t1_n1_i3_h10_l1_forward"),
            (std::map<int, std::int64_t>{
                {0, 0}, {1, 20}, {2, 30}, {3, 10}, {4, 0}, {5, 20}, {6, 30}, {7, 10}}));
}

// cuDNN: reset, update, new memory; ONNX: update, reset, hidden.
TEST(WeightBlocks, GruGatesGoToTheirPlaces) {
  EXPECT_EQ(first_rows("gru/t1_n1_i3_h10_l1_forward_lbr"),
            (std::map<int, std::int64_t>{{0, 10}, {1, 0}, {2, 20}, {3, 10}, {4, 0}, {5, 20}}));
}

TEST(WeightBlocks, LayersAndDirectionsFollowEachOther) {
  // Two layers, two directions, hidden 4, inputs 3 and then 8: 2 * 12 weights before layer 1.
  const auto blocks =
      weight_blocks(shape_of<Recurrent>("rnntanh/t1_n1_i3_h4_l2_bidirectional_bias"));
  ASSERT_EQ(blocks.size(), 8U);
  EXPECT_EQ(blocks[2], (WeightBlock{.pseudo_layer = 1,
                                    .matrix = 0,
                                    .operand = 1,
                                    .begin = 12,
                                    .rows = 4,
                                    .columns = 3,
                                    .bias_begin = 8}));
  EXPECT_EQ(blocks[6], (WeightBlock{.pseudo_layer = 3,
                                    .matrix = 0,
                                    .operand = 1,
                                    .begin = 24 + 32,
                                    .rows = 4,
                                    .columns = 8,
                                    .bias_begin = 24}));
  EXPECT_EQ(blocks[7], (WeightBlock{.pseudo_layer = 3,
                                    .matrix = 1,
                                    .operand = 2,
                                    .begin = 48,
                                    .rows = 4,
                                    .columns = 4,
                                    .bias_begin = 28}));
}

TEST(WeightBlocks, CoverEveryWeightAndBiasOnce) {
  for (const char* key :
       {"lstm/t1_n1_i3_h5_l3_bidirectional_bias", "gru/t1_n1_i7_h2_l2_forward_lbr_bias"}) {
    const auto shape = shape_of<Recurrent>(key);
    const auto operands = shape.inputs();
    std::vector<std::vector<int>> seen;
    for (const Operand& operand : operands) {
      seen.emplace_back(static_cast<std::size_t>(element_count(operand.dims)));
    }
    for (const WeightBlock& block : weight_blocks(shape)) {
      for (std::int64_t i = 0; i < block.rows * block.columns; ++i) {
        ++seen[block.operand].at(static_cast<std::size_t>(block.begin + i));
      }
      for (std::int64_t i = 0; i < block.rows; ++i) {
        ++seen[3].at(static_cast<std::size_t>(block.bias_begin + i));
      }
    }
    for (const std::size_t operand : {1, 2, 3}) EXPECT_THAT(seen[operand], testing::Each(1)) << key;
  }
}

TEST(RealRecurrent, DescriptorsHoldTheProblem) {
  for (const harness::Variant& asked : variants_of<Recurrent>("descriptors")) {
    SCOPED_TRACE(key(asked.problem));
    const Precision precision = asked.precision;
    const auto& shape = std::get<Recurrent>(asked.problem.shape);
    const RecurrentCall call = map_recurrent(shape, precision);
    const auto descriptors = describe(shape, call, precision, CUDNN_RNN_ALGO_STANDARD);
    cudnnRNNAlgo_t algorithm{};
    cudnnRNNMode_t mode{};
    cudnnRNNBiasMode_t bias{};
    cudnnDirectionMode_t direction{};
    cudnnRNNInputMode_t input_mode{};
    cudnnDataType_t type{};
    cudnnDataType_t sums{};
    cudnnMathType_t math{};
    std::array<std::int32_t, 4> sizes{};
    cudnnDropoutDescriptor_t dropout{};
    std::uint32_t flags = 0;
    ASSERT_EQ(cudnnGetRNNDescriptor_v8(descriptors.rnn.get(), &algorithm, &mode, &bias, &direction,
                                       &input_mode, &type, &sums, &math, &sizes[0], &sizes[1],
                                       &sizes[2], &sizes[3], &dropout, &flags),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(mode, call.mode);
    EXPECT_EQ(bias, call.bias);
    EXPECT_EQ(direction, call.direction);
    EXPECT_EQ(type, storage_type(precision));
    EXPECT_EQ(sums, CUDNN_DATA_FLOAT);
    EXPECT_EQ(math, math_type(precision));
    EXPECT_THAT(sizes,
                testing::ElementsAre(shape.input_size, shape.hidden, shape.hidden, shape.layers));
    EXPECT_EQ(flags, call.flags);
  }
}

TEST(DescribeRecurrent, IntegersAreRefused) {
  const Recurrent shape = shape_of<Recurrent>("lstm/t5_n2_i3_h4_l1_forward");
  EXPECT_THROW(describe(shape, map_recurrent(shape, Precision::int8), Precision::int8,
                        CUDNN_RNN_ALGO_STANDARD),
               harness::Unsupported);
}

TEST(RecurrentAlgorithms, NamesAreTheLibrarys) {
  const std::map<std::string_view, cudnnRNNAlgo_t> named{
      {"standard", CUDNN_RNN_ALGO_STANDARD},
      {"persist_static", CUDNN_RNN_ALGO_PERSIST_STATIC},
      {"persist_dynamic", CUDNN_RNN_ALGO_PERSIST_DYNAMIC},
      {"persist_static_small_h", CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H}};
  const auto all =
      recurrent_algorithms(shape_of<Recurrent>("lstm/t5_n2_i3_h4_l1_forward"), Precision::fp32);
  EXPECT_EQ(all.size(), named.size());
  for (const auto& [name, algorithm] : all) EXPECT_EQ(named.at(name), algorithm);
}

}  // namespace
}  // namespace benanza::cudnn
