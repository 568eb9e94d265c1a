#include "analysis/profile_match/picks.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::measured;
using test::us;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Optional;

const std::string first = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
const std::string second = "conv/1x4x6x6_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
const std::string product = "gemm/m4_n8_k16_nn";

/// Two convolutions and a product. Measured, us:
///   first: implicit_gemm 10, implicit_precomp_gemm 6, winograd_nonfused 4; second: fft_tiling 7,
///   gemm 5; product: default 2
/// The framework ran first by an implicit GEMM (12 us including a layout transform), second by FFT
/// (9 us), and the product by a Tensor Core kernel (3 us).
struct PicksCase {
  Graph graph{.model = "three",
              .layers = {test::layer("a", {}), test::layer("b", {0}), test::layer("c", {1})}};
  MeasurementSet set;
  Profile profile{.framework = "pytorch", .timeline = Timeline{}};

  PicksCase() {
    const std::string keys[] = {first, second, product};
    const char* ops[] = {"Conv", "Conv", "MatMul"};
    for (std::size_t i = 0; i < 3; ++i) {
      graph.layers[i].problems = {keys[i]};
      graph.layers[i].op = ops[i];
    }
    const auto add = [&](const std::string& key, const std::string& variant, double time) {
      set.add(measured(key + "/fp32/" + variant, {time * us}));
    };
    add(first, "nchw/cudnn/implicit_gemm", 10);
    add(first, "nchw/cudnn/implicit_precomp_gemm", 6);
    add(first, "nchw/cudnn/winograd_nonfused", 4);
    add(second, "nchw/cudnn/fft_tiling", 7);
    add(second, "nchw/cudnn/gemm", 5);
    add(product, "plain/cublas/default", 2);
    run(0, 12, {"nchwToNhwcKernel", "cutlass_80_simt_sgemm_fprop_kernel"});
    run(1, 9, {"flip_filter", "fft2d_r2c_32x32", "gemmSN_NN_kernel"});
    run(2, 3, {"sm80_xmma_gemm_f32f32_tensor16x8x8"});
  }
  void run(std::size_t layer, double time, const std::vector<std::string>& kernels) {
    ProfiledNode node{.name = "op", .op = graph.layers[layer].op, .seconds = time * us};
    node.parts = {{.op = node.op, .problem = graph.layers[layer].problems.front()}};
    for (const std::string& kernel : kernels) node.kernels.push_back({.name = kernel});
    profile.nodes.push_back(node);
  }
  std::vector<FrameworkPick> picks(const std::vector<LibraryCall>& calls = {}) const {
    return framework_picks(graph, algorithm_rows(graph, set, {}), set, {}, &profile, calls);
  }
};

/// A matrix product's kernel may be cuDNN's algorithm of that name or a product by another library
/// or engine: the one that takes about as long as the kernel ran.
TEST(FrameworkPicks, AProductsKernelIsTheCallThatTakesAsLong) {
  PicksCase given;
  given.profile.nodes.clear();
  given.run(0, 6, {"nvjet_sm90_hsh_64x8_64x16_4x1_v_bz_TNT"});
  given.run(1, 6, {"nvjet_sm90_hsh_64x8_64x16_4x1_v_bz_TNT"});
  given.run(2, 3, {"sm80_xmma_gemm_f32f32_tensor16x8x8"});
  given.set.add(measured(first + "/fp32/nchw/cudnn/gemm", {285 * us}));
  // No measured call takes about 6 us.
  EXPECT_EQ(given.picks()[0].measured, nullptr);
  EXPECT_EQ(given.picks()[0].loss, std::nullopt);
  EXPECT_EQ(given.picks()[1].measured->variant.algorithm, "gemm");  // 5 us

  given.set.add(measured(first + "/fp32/nhwc/cublas/default", {7 * us}));
  EXPECT_EQ(given.picks()[0].measured->variant.backend, "cublas");
  EXPECT_THAT(given.picks()[0].loss, Optional(DoubleNear(3 * us, 1e-12)));  // 7 - 4
}

TEST(FrameworkPicks, KernelsTellTheAlgorithmAndWhatItLoses) {
  const PicksCase given;
  const auto picks = given.picks();
  ASSERT_EQ(picks.size(), 3);
  // An implicit GEMM may be either of two algorithms: the faster takes 6 us, the best of all 4.
  EXPECT_EQ(picks[0].algorithm, "implicit_gemm");
  EXPECT_EQ(picks[0].measured->variant.algorithm, "implicit_precomp_gemm");
  EXPECT_THAT(picks[0].loss, Optional(DoubleNear(2 * us, 1e-12)));
  EXPECT_EQ(picks[0].detail, "cutlass_80_simt_sgemm_fprop_kernel");
  EXPECT_THAT(picks[0].ran_seconds, Optional(DoubleNear(12 * us, 1e-12)));
  EXPECT_EQ(picks[1].algorithm, "fft");
  EXPECT_THAT(picks[1].loss, Optional(DoubleNear(2 * us, 1e-12)));  // 7 - 5
}

TEST(FrameworkPicks, TheAlgorithmOfAMatrixProductIsNotInItsKernelsName) {
  const PicksCase given;
  const auto picks = given.picks();
  EXPECT_EQ(picks[2].algorithm, "");
  EXPECT_EQ(picks[2].loss, std::nullopt);
  EXPECT_EQ(picks[2].detail, "sm80_xmma_gemm_f32f32_tensor16x8x8");
}

TEST(FrameworkPicks, TensorCoresAreReadFromTheNames) {
  const PicksCase given;
  const auto picks = given.picks();
  EXPECT_EQ(picks[0].tensor_cores, false);
  EXPECT_EQ(picks[2].tensor_cores, true);
}

TEST(FrameworkPicks, AnApiLogIsExact) {
  LibraryCall call{.library = "cudnn", .function = "cudnnConvolutionForward", .problem = first};
  call.algorithm = "implicit_gemm";
  const PicksCase given;
  const auto picks = given.picks({call});
  EXPECT_EQ(picks[0].measured->variant.algorithm, "implicit_gemm");
  EXPECT_THAT(picks[0].loss, Optional(DoubleNear(6 * us, 1e-12)));  // 10 - 4
  call.algorithm = "engine 28 TILE_SIZE=4";
  const auto engines = given.picks({call});
  EXPECT_EQ(engines[0].detail, "engine 28 TILE_SIZE=4");
  EXPECT_EQ(engines[0].algorithm, "implicit_gemm");  // by its kernel
}

TEST(FrameworkPicks, ALogAloneIsEnough) {
  const PicksCase given;
  const LibraryCall call{.library = "cudnn",
                         .function = "cudnnConvolutionForward",
                         .problem = second,
                         .algorithm = "fft_tiling"};
  const auto picks = framework_picks(given.graph, algorithm_rows(given.graph, given.set, {}),
                                     given.set, {}, nullptr, {call});
  EXPECT_FALSE(picks[0].is_known());
  EXPECT_EQ(picks[1].algorithm, "fft_tiling");
  EXPECT_EQ(picks[1].ran_seconds, std::nullopt);
}

TEST(FrameworkPicks, TotalsSumWhatIsKnown) {
  const PicksCase given;
  const auto rows = algorithm_rows(given.graph, given.set, {});
  const PickTotals sum = totals(rows, given.picks());
  EXPECT_EQ(sum.found, 3);
  EXPECT_EQ(sum.known, 2);
  EXPECT_EQ(sum.misses, 2);
  EXPECT_NEAR(sum.loss_seconds, 4 * us, 1e-12);
  EXPECT_NEAR(sum.ran_seconds, 24 * us, 1e-12);
  EXPECT_NEAR(sum.best_seconds, 11 * us, 1e-12);  // 4 + 5 + 2
  EXPECT_EQ(sum.with, 1);
  EXPECT_NEAR(sum.with_seconds, 3 * us, 1e-12);
  EXPECT_NEAR(sum.without_seconds + sum.unknown_seconds, 21 * us, 1e-12);
}

TEST(FrameworkPicks, AnOperatorOfTwoProductsCountsOnce) {
  PicksCase given;
  Layer another = test::layer("d", {2});
  another.op = "MatMul";
  another.problems = {"gemm/m4_n16_k8_nn"};
  given.graph.layers.push_back(another);
  given.profile.nodes.back().parts.push_back({.op = "MatMul", .problem = another.problems.front()});
  const auto picks = given.picks();
  ASSERT_EQ(picks.size(), 4);
  EXPECT_FALSE(picks[2].again);
  EXPECT_TRUE(picks[3].again);
  const PickTotals sum = totals(algorithm_rows(given.graph, given.set, {}), picks);
  EXPECT_NEAR(sum.ran_seconds, 24 * us, 1e-12);
  EXPECT_EQ(sum.with, 2);
  EXPECT_NEAR(sum.with_seconds, 3 * us, 1e-12);
}

TEST(FrameworkPicks, AProfileOfAnotherModelIsAnError) {
  PicksCase given;
  given.profile.path = "x.json";
  for (Layer& layer : given.graph.layers) layer.problems = {"gemm/m4_n8_k99_nn"};
  EXPECT_THAT(error_of([&] { given.picks(); }), HasSubstr("x.json: profile of another model"));
}

}  // namespace
}  // namespace benanza::analysis
