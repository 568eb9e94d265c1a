#include "analysis/model/floor.h"

#include <gmock/gmock.h>

#include "analysis/model/whole.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::Optional;

const DeviceRates rates{
    .flops_per_second = 1e12, .bytes_per_second = 1e11, .cache_bytes = 1e6, .most_kept_bytes = 2e6};

TEST(Floor, IsTheLargerOfArithmeticAndMemory) {
  // 3e6 bytes, of which the cache may keep 1e6: 20 us at 1e11 byte/s; 5e6 FLOP: 5 us.
  const Floor floor = floor_of(5e6, {.read = 2e6, .written = 1e6}, rates, false);
  EXPECT_THAT(floor.arithmetic_seconds, Optional(DoubleEq(5 * us)));
  EXPECT_THAT(floor.memory_seconds, Optional(DoubleEq(20 * us)));
  EXPECT_THAT(floor.seconds(), Optional(DoubleEq(20 * us)));
  EXPECT_TRUE(floor.is_by_memory());
  EXPECT_THAT(floor_of(5e6, {.read = 2e5, .written = 3e5}, rates, false).memory_seconds,
              Optional(0.0));
  // With cold caches everything read (2.5e6 bytes) comes from memory.
  EXPECT_THAT(floor_of(5e6, {.read = 2.5e6, .written = 5e5}, rates, true).seconds(),
              Optional(DoubleEq(25 * us)));
}

// 1e6 bytes of cache. Of weights of 8e5 bytes that are read and written in place nothing has to
// leave it; 3e5 others share the rest, 2e5.
TEST(Floor, ACachedByteInPlaceSavesAReadAndAWrite) {
  const auto beyond = [](const Moved& moved, bool cold = false) {
    return *floor_of(0, moved, rates, cold).memory_seconds * 1e11;
  };
  EXPECT_DOUBLE_EQ(beyond({.read = 8e5, .written = 8e5, .in_place = 8e5}), 0);
  EXPECT_DOUBLE_EQ(beyond({.read = 11e5, .written = 8e5, .in_place = 8e5}), 1e5);
  EXPECT_DOUBLE_EQ(beyond({.read = 8e5, .written = 11e5, .in_place = 8e5}), 1e5);
  // What exceeds the cache is read and written; the 3e5 others find no place in it.
  EXPECT_DOUBLE_EQ(beyond({.read = 33e5, .written = 30e5, .in_place = 30e5}), 2 * 20e5 + 3e5);
  // The same bytes in two places share the cache.
  EXPECT_DOUBLE_EQ(beyond({.read = 8e5, .written = 8e5}), 6e5);
  // From cold caches all is read, and what does not fit is written.
  EXPECT_DOUBLE_EQ(beyond({.read = 8e5, .written = 8e5, .in_place = 8e5}, true), 8e5);
  EXPECT_DOUBLE_EQ(beyond({.read = 30e5, .written = 30e5, .in_place = 30e5}, true), 30e5 + 20e5);
}

/// The least traffic of repeated runs through a cache of `cache` blocks: of `in_place` blocks that
/// each run reads and writes, and others that it only reads or only writes. By trying how many of
/// each kind stay in the cache from run to run.
std::int64_t least_traffic(std::int64_t read, std::int64_t written, std::int64_t in_place,
                           std::int64_t cache) {
  std::int64_t least = read + written + 2 * in_place;
  for (std::int64_t state = 0; state <= in_place; ++state) {
    for (std::int64_t inputs = 0; inputs <= read; ++inputs) {
      for (std::int64_t outputs = 0; outputs <= written; ++outputs) {
        if (state + inputs + outputs > cache) continue;
        const std::int64_t moved = 2 * (in_place - state) + (read - inputs) + (written - outputs);
        least = std::min(least, moved);
      }
    }
  }
  return least;
}

TEST(Floor, IsTheLeastTrafficOfAllWaysToUseTheCache) {
  for (std::int64_t cache = 0; cache < 8; ++cache) {
    const DeviceRates blocks{.bytes_per_second = 1, .cache_bytes = static_cast<double>(cache)};
    for (std::int64_t read = 0; read < 6; ++read) {
      for (std::int64_t written = 0; written < 6; ++written) {
        for (std::int64_t in_place = 0; in_place < 6; ++in_place) {
          const Moved moved{.read = static_cast<double>(read + in_place),
                            .written = static_cast<double>(written + in_place),
                            .in_place = static_cast<double>(in_place)};
          EXPECT_EQ(floor_of(0, moved, blocks, false).memory_seconds,
                    least_traffic(read, written, in_place, cache))
              << read << ' ' << written << ' ' << in_place << ' ' << cache;
        }
      }
    }
  }
}

TEST(Floor, WithoutPeaksIsNotKnown) {
  EXPECT_EQ(floor_of(5e6, {.read = 2e6, .written = 1e6}, {}, false).seconds(), std::nullopt);
  // Without the cache's size the memory traffic is unknown.
  EXPECT_THAT(floor_of(5e6, {.read = 2e6, .written = 1e6},
                       {.flops_per_second = 1e12, .bytes_per_second = 1e11}, false)
                  .seconds(),
              Optional(DoubleEq(5 * us)));
}

// A recording of bf16 and fp32 calls. The peak of fp32 is no least time of the bf16 call.
TEST(Floor, APeakIsNoFloorOfLayersOfAFasterPrecision) {
  Graph graph{.model = "m", .layers = {layer("relu", {})}};
  graph.layers[0].op = "Gemm";
  graph.layers[0].problems = {"gemm/m100_n200_k50_nn_w"};
  const auto floor_at = [&](const std::string& own, Precision asked) {
    graph.layers[0].precision = own;
    return model_floor(graph, {LayerTime{.status = LayerStatus::measured}}, rates,
                       {.precision = asked})
        .model.arithmetic_seconds;
  };
  EXPECT_THAT(floor_at("bf16", Precision::bf16), Optional(DoubleEq(2 * us)));
  EXPECT_THAT(floor_at("fp32", Precision::bf16), Optional(DoubleEq(2 * us)));
  EXPECT_EQ(floor_at("bf16", Precision::fp32), std::nullopt);
}

// 2 MFLOP at int8 and 2 at fp32, at 4 and 1 TFLOP/s.
TEST(Floor, LayersOfTheirOwnPrecisionHaveItsPeak) {
  Graph graph{.model = "m", .layers = {layer("a", {}), layer("b", {})}};
  for (Layer& one : graph.layers) {
    one.op = "Gemm";
    one.problems = {"gemm/m100_n200_k50_nn_w"};
  }
  graph.layers[1].precision = "int8";
  DeviceRates of_two = rates;
  of_two.flops_per_second_at = {{Precision::int8, 4e12}};
  const std::vector<LayerTime> times(2, LayerTime{.status = LayerStatus::measured});
  const ModelFloor floor = model_floor(graph, times, of_two, {});
  EXPECT_THAT(floor.model.arithmetic_seconds, Optional(DoubleEq(2.5 * us)));
  EXPECT_THAT(floor.flops_at, testing::UnorderedElementsAre(testing::Pair(Precision::fp32, 2e6),
                                                            testing::Pair(Precision::int8, 2e6)));
  EXPECT_EQ(model_floor(graph, times, rates, {}).model.arithmetic_seconds, std::nullopt)
      << "the peak of int8 is not known";
}

// 2 MFLOP at 4 TFLOP/s; 10,000 floats of data, 20,000 of results, 5,000 bytes of weights and 200
// scales of four bytes as at fp32.
TEST(Floor, DataThatMayBeRoundedHasThePeakOfInt8) {
  Graph graph{.model = "m", .layers = {layer("a", {})}};
  graph.layers[0].op = "MatMulNBits";
  graph.layers[0].problems = {"gemm/m200_n100_k50_nt_w_packed.int8.b25.a8"};
  DeviceRates of_two = rates;
  of_two.flops_per_second_at = {{Precision::int8, 4e12}};
  LayerTime time{.status = LayerStatus::measured};
  const Measurement call = measured(graph.layers[0].problems[0] + "/fp32/plain/onednn/x", five(us));
  time.calls = {&call};
  const ModelFloor floor = model_floor(graph, {time}, of_two, {});
  EXPECT_THAT(floor.model.arithmetic_seconds, Optional(DoubleEq(0.5 * us)));
  EXPECT_THAT(floor.layers[0].arithmetic_seconds, Optional(DoubleEq(0.5 * us)));
  EXPECT_DOUBLE_EQ(floor.layers[0].moved->bytes(), 4 * 30'000 + 5'000 + 4 * 200);
}

Layer product(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
              std::vector<std::string> problems) {
  return {.name = name,
          .op = op,
          .inputs = std::move(inputs),
          .cost = Cost::measured,
          .problems = std::move(problems),
          .outputs = {{.name = name, .type = "float", .shape = Dims{100, 200}}}};
}

TEST(ModelFloor, SumsArithmeticAndCountsCompulsoryBytesOnce) {
  Graph graph{.model = "m",
              .batch = 1,
              .compulsory = Compulsory{.inputs = {.elements = 1'000'000, .bytes = 40},
                                       .weights = {.elements = 500'000},
                                       .outputs = {.elements = 250'000}},
              .layers = {product("a", "MatMul", {}, {"gemm/m100_n200_k50_nn_w"}),
                         product("b", "MatMul", {0}, {"gemm/m100_n200_k50_nn_w"})}};
  MeasurementSet set;
  set.add(measured("gemm/m100_n200_k50_nn_w/fp16/plain/cublas/x", five(30 * us)));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto times = layer_times(graph, set, filter);
  const ModelFloor floor = model_floor(graph, times, rates, filter);
  // Twice 2 x 100 x 200 x 50 FLOP; 2 x 1.75e6 + 40 bytes, less 1e6.
  EXPECT_DOUBLE_EQ(floor.model.flops, 4e6);
  EXPECT_DOUBLE_EQ(floor.model.moved->bytes(), 3'500'040);
  EXPECT_THAT(floor.model.seconds(), Optional(DoubleEq(2'500'040 / 1e11)));
  // One layer: 2 us; its 0.08 MB fit into the cache.
  EXPECT_THAT(floor.layers[0].seconds(), Optional(DoubleEq(2 * us)));
  graph.compulsory.reset();
  EXPECT_THAT(model_floor(graph, times, rates, filter).model.seconds(), Optional(DoubleEq(4 * us)));
}

// 500,000 weights are stored in 16 bits, and computed with at 32.
TEST(ModelFloor, WeightsThatTheModelWidensAreReadAsTheyAreStored) {
  Graph graph{.model = "m", .layers = {product("a", "MatMul", {}, {"gemm/m100_n200_k50_nn_w"})}};
  graph.compulsory = Compulsory{.inputs = {.elements = 1'000}, .weights = {.halves = 500'000}};
  const auto bytes = [&](Precision precision) {
    const MeasurementFilter filter{.precision = precision};
    const auto times = layer_times(graph, MeasurementSet(), filter);
    return model_floor(graph, times, rates, filter).model.moved->bytes();
  };
  EXPECT_DOUBLE_EQ(bytes(Precision::fp32), 4'000 + 1'000'000);
  EXPECT_DOUBLE_EQ(bytes(Precision::fp16), 2'000 + 1'000'000);
  EXPECT_DOUBLE_EQ(bytes(Precision::int8), 1'000 + 500'000);
}

// The least size of the second product is unknown.
TEST(ModelFloor, ProductsOfAssumedSizesAreNotInIt) {
  Graph graph{.model = "m",
              .layers = {product("a", "MatMul", {}, {"gemm/m100_n200_k50_nn_w"}),
                         product("b", "MatMul", {}, {"gemm/m100_n200_k50_nn_w"})}};
  graph.layers[1].assumed = "nz:1=100";
  MeasurementSet set;
  set.add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x", five(30 * us)));
  const ModelFloor floor = model_floor(graph, layer_times(graph, set, {}), rates, {});
  EXPECT_DOUBLE_EQ(floor.model.flops, 2e6);
  EXPECT_DOUBLE_EQ(floor.layers[1].flops, 2e6) << "of the call that was measured";
}

TEST(ModelFloor, RowsOfAListAskForTheirProducts) {
  const Graph graph{
      .model = "deepbench_training",
      .layers = {product("m=200 n=100 k=50 NN", "deepbench.gemm", {}, {"gemm/m100_n200_k50_nn"}),
                 product("again", "deepbench.sparse_gemm", {}, {"spmm/m8_n3_k5_z20"})}};
  const auto times = layer_times(graph, MeasurementSet(), {});
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).model.flops, 2e6 + 2 * 20 * 3);
}

// However the tokens are spread over the experts, as many rows are multiplied.
TEST(ModelFloor, ExpertsAskForTheirProducts) {
  const Graph graph{.model = "m",
                    .layers = {product("experts", "com.microsoft.QMoE", {},
                                       {"softmax/1x4_a1", "gemm/m1_n200_k50_nt_w_packed.int4.b32",
                                        "gemm/m1_n200_k50_nt_w_packed.int4.b32"})}};
  const auto times = layer_times(graph, MeasurementSet(), {});
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).model.flops, 2 * 2 * 200 * 50);
}

// A running sum as a product with a triangular matrix: no multiplication is required.
TEST(ModelFloor, ProductsThatOnlyComputeAnotherOperatorDoNotCount) {
  const Graph graph{.model = "m",
                    .layers = {product("sum", "CumSum", {}, {"gemm/m100_n200_k50_nn_w"})}};
  MeasurementSet set;
  set.add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x", five(30 * us)));
  const auto times = layer_times(graph, set, {});
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).model.flops, 0);
}

// 100 rows of 64 numbers become 100 of 66. Another way has no matrix of 64 x 66.
TEST(ModelFloor, AFourierTransformNeedsNoMatrix) {
  for (const char* const op : {"DFT", "com.microsoft.Rfft", "Resize"}) {
    const Graph graph{.model = "m",
                      .layers = {product("spectrum", op, {}, {"gemm/m100_n66_k64_nn_w"})}};
    MeasurementSet set;
    set.add(measured("gemm/m100_n66_k64_nn_w/fp32/plain/cublas/x", five(30 * us)));
    const ModelFloor floor = model_floor(graph, layer_times(graph, set, {}), rates, {});
    EXPECT_DOUBLE_EQ(floor.model.flops, 0) << op;
    EXPECT_DOUBLE_EQ(floor.layers[0].moved->read, 4.0 * 100 * 64) << op;
    EXPECT_DOUBLE_EQ(floor.layers[0].moved->written, 4.0 * 100 * 66) << op;
  }
}

// Decomposed attention, 4 queries and 4 keys; a mask hides 6 of the 16 scores.
TEST(ModelFloor, AnOperatorAsAWholeMayNeedLess) {
  const std::string whole = "attention/1x1x4x64_k1x4x64_s0.125_causal";
  const Graph graph{
      .model = "m",
      .layers = {product("qk", "MatMul", {}, {"gemm/m4_n4_k64_nt"}),
                 product("softmax", "Softmax", {0}, {"softmax/4x4_a1"}),
                 product("pv", "MatMul", {1}, {"gemm/m4_n64_k4_nn"})},
      .fusions = {{.pattern = "attention", .layers = {0, 1, 2}, .problem = whole, .whole = true}}};
  MeasurementSet set;
  set.add(measured(whole + "/fp16/plain/cudnn/x", five(3 * us)));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto times = operator_times(graph, set, filter, Movement::exclude);
  const ModelFloor floor = model_floor(graph, times, rates, filter);
  EXPECT_DOUBLE_EQ(floor.model.flops, 2.0 * 10 * 128);
  EXPECT_DOUBLE_EQ(floor.layers[2].flops, 2.0 * 10 * 128);
  // Q, K, V and the result, 4 x 64 each; no scores.
  EXPECT_DOUBLE_EQ(floor.layers[2].moved->bytes(), 2.0 * 4 * 4 * 64);
}

// An attention operator: as one call, a window of 2 keys leaves 7 of the 16 scores. Its rotation is
// a call of its own.
TEST(ModelFloor, AnOperatorWithFurtherCallsMayNeedLess) {
  const std::string whole = "attention/1x1x4x64_k1x4x64_s0.125_causal_w2";
  const std::string rotation = "rotary/1x1x4x64_t1x1x4x32";
  const Graph graph{
      .model = "m",
      .layers = {product("a", "com.microsoft.GroupQueryAttention", {},
                         {rotation, "gemm/m4_n4_k64_nt", "softmax/4x4_a1", "gemm/m4_n64_k4_nn"})},
      .fusions = {{.pattern = "attention",
                   .layers = {0},
                   .problem = whole,
                   .also = {rotation},
                   .whole = true}}};
  MeasurementSet set;
  set.add(measured(whole + "/fp16/plain/cudnn/x", five(3 * us)));
  set.add(measured(rotation + "/fp16/plain/cudnn/x", five(1 * us)));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto times = operator_times(graph, set, filter, Movement::exclude);
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, filter).layers[0].flops, 2.0 * 7 * 128);
}

// A cache of 1 MB keeps nothing of 4 MB of weights. Those of the call: 1.6 MB and 0.2 MB of scales.
TEST(ModelFloor, WeightsOfACallThatWasTimedWithThemInMemoryAreRead) {
  const std::string key = "gemm/m1_n1000_k3200_nt_w_packed.int4.b32";
  Graph graph{.model = "m", .layers = {product("fc", "MatMulNBits", {}, {key})}};
  graph.compulsory = Compulsory{.weights = {.elements = 0, .bytes = 4'000'000}};
  Measurement timed = measured(key + "/fp16/plain/cudnn/x", five(30 * us));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto least = [&](const MeasurementFilter& of) {
    MeasurementSet set;
    set.add(timed);
    return model_floor(graph, layer_times(graph, set, of), rates, of).layers[0].memory_seconds;
  };
  // 6,400 bytes of data and 2,000 of the result fit the cache.
  EXPECT_THAT(least(filter), Optional(DoubleNear(8.084 * us, 1e-12)));
  timed.rotating_seconds = 40 * us;
  // The cache may keep half of its size of copies that take turns.
  EXPECT_THAT(least(filter), Optional(DoubleNear(13 * us, 1e-12)));
  MeasurementFilter cached = filter;
  cached.weights_in_cache = true;
  EXPECT_THAT(least(cached), Optional(DoubleNear(8.084 * us, 1e-12)));
}

// The same of keys and values: 2 x 4 x 1000 x 64 halves each, and 8 x 64 of Q and of the result.
TEST(ModelFloor, CachesOfACallThatWasTimedWithThemInMemoryAreRead) {
  const std::string key = "attention/2x8x1x64_k4x1000x64_s0.125";
  Graph graph{.model = "m", .layers = {product("a", "Attention", {}, {key})}};
  graph.compulsory = Compulsory{.weights = {.elements = 0, .bytes = 4'000'000}};
  Measurement timed = measured(key + "/fp16/plain/cudnn/x", five(30 * us));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto least = [&] {
    MeasurementSet set;
    set.add(timed);
    return model_floor(graph, layer_times(graph, set, filter), rates, filter)
        .layers[0]
        .memory_seconds;
  };
  const double caches = 2 * 2.0 * 2 * 4 * 1000 * 64;
  const double others = 2 * 2.0 * 2 * 8 * 64;
  EXPECT_THAT(least(), Optional(DoubleNear((caches + others - 1e6) / 1e11, 1e-12)));
  timed.rotating_seconds = 40 * us;
  EXPECT_THAT(least(), Optional(DoubleNear((caches - 0.5e6) / 1e11, 1e-12)));
}

// Convolution and bias are two calls or one: the tensor between them does not count.
TEST(ModelFloor, ALayerOfSeveralCallsIsThatOfTheOneThatDoesThem) {
  const std::string conv = "conv/1x8x10x10_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  Graph graph{.model = "m",
              .layers = {product("c", "Conv", {}, {conv, "add/1x8x10x10_1x8x1x1_w"})},
              .fusions = {{.pattern = "conv_bias", .layers = {0}, .problem = conv + "_bias"}}};
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/cudnn/x", five(3 * us)));
  set.add(measured("add/1x8x10x10_1x8x1x1_w/fp32/nchw/cudnn/x", five(3 * us)));
  const auto times = layer_times(graph, set, {});
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).layers[0].moved->bytes(),
                   4.0 * (800 + 64 + 8 + 800));
  graph.fusions.clear();
  // Only its result as the graph states it: 100 x 200.
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).layers[0].moved->bytes(), 80'000);
  // What the graph says: 500 elements and 24 bytes are read, 200 written.
  graph.layers[0].compulsory = Compulsory{
      .inputs = {.elements = 500}, .weights = {.bytes = 24}, .outputs = {.elements = 200}};
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).layers[0].moved->bytes(), 4.0 * 700 + 24);
}

// SGD with momentum of 1e5 parameters: 8e5 bytes are read and written in place and fit the cache.
TEST(ModelFloor, OfATrainingStepUpdatesItsWeightsInPlace) {
  const Traffic kept{.bytes = 800'000};
  Layer update = product("update", "SGD", {}, {"add/1x100000_1x100000", "relu/1x100000"});
  update.precision = "fp32";
  update.compulsory = Compulsory{.inputs = {.bytes = 400'000}, .weights = kept, .outputs = kept};
  Graph graph{
      .model = "m_training",
      .batch = 1,
      .compulsory = Compulsory{.inputs = {.bytes = 1'000}, .weights = kept, .outputs = kept},
      .layers = {update}};
  MeasurementSet set;
  set.add(measured("add/1x100000_1x100000/fp32/plain/onednn/x", five(3 * us)));
  set.add(measured("relu/1x100000/fp32/plain/onednn/x", five(3 * us)));
  const auto floor = [&] { return model_floor(graph, layer_times(graph, set, {}), rates, {}); };
  // Weights that are no training step's are two tensors: 1,601,000 bytes, less 1e6.
  EXPECT_THAT(floor().model.memory_seconds, Optional(DoubleEq(601'000 / 1e11)));
  EXPECT_THAT(floor().layers[0].memory_seconds, Optional(DoubleEq(1e6 / 1e11)));
  graph.layers[0].phase = "update";
  EXPECT_THAT(floor().model.memory_seconds, Optional(0.0));
  // The gradients find 2e5 bytes of the cache.
  EXPECT_THAT(floor().layers[0].memory_seconds, Optional(DoubleEq(2e5 / 1e11)));
}

// 5e5 elements of fp32: the sum replaces its residual, 2e6 bytes, of which 1e6 stay in the cache.
// The factors are small.
TEST(ModelFloor, AResidualIsReadAndWrittenInPlace) {
  const std::string key = "gemm/m500_n1000_k1_nn";
  const Graph graph{.model = "m", .layers = {product("sum", "Gemm", {}, {key + "_residual"})}};
  MeasurementSet set;
  set.add(measured(key + "_residual/fp32/plain/cublas/x", five(30 * us)));
  EXPECT_THAT(model_floor(graph, layer_times(graph, set, {}), rates, {}).layers[0].memory_seconds,
              Optional(DoubleEq((2 * (2e6 - 1e6) + 4.0 * (500 + 1000)) / 1e11)));
}

}  // namespace
}  // namespace benanza::analysis
