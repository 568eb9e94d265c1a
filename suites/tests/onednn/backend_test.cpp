#include "suites/onednn/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <dnnl.hpp>

#include <algorithm>
#include <set>

#include "suites/harness/run/sequence.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/ways/threads.h"
#include "suites/tests/asked.h"
#include "suites/tests/onednn/support.h"

namespace benanza::onednn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OnednnBackendTest : public ::testing::Test {
 protected:
  std::vector<Layout> layouts(const char* key) { return backend_->layouts(parse(key)); }

  std::vector<harness::Algorithm> algorithms(const char* key, Layout layout,
                                             harness::AlgorithmSet set,
                                             Precision precision = Precision::fp32) {
    return harness::algorithms(*backend_, parse(key), precision, layout, set);
  }

  std::string refusal(const char* key, Precision precision, Layout layout) {
    try {
      algorithms(key, layout, harness::AlgorithmSet::all, precision);
    } catch (const harness::Unsupported& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<harness::Backend> backend_ = make_backend();
};

constexpr const char* convolution = "conv/1x16x9x9_k16x3x3_p1.1.1.1_s1x1_d1x1_g1";

TEST_F(OnednnBackendTest, SaysWhatResultsDependOn) {
  const System system = backend_->system();
  const dnnl_version_t* version = dnnl_version();
  EXPECT_THAT(system.at("onednn_version"), StartsWith(std::to_string(version->major) + "." +
                                                      std::to_string(version->minor) + "."));
  EXPECT_EQ(system.at("threads"), std::to_string(omp_get_max_threads()));
  for (const char* key : {"cpu_model", "cpu_isa", "large_pages", "onednn_cpu_runtime"}) {
    EXPECT_NE(system.at(key), "") << key;
  }
  EXPECT_EQ(backend_->name(), "onednn");
}

// The second call reads what the first one wrote, without an upload: 2 x - 1, twice.
TEST_F(OnednnBackendTest, CallsThatShareTheirDataReadThePreviousResult) {
  constexpr const char* key = "linear/1x16x2x2_a2_b-1";
  const harness::Algorithm name =
      algorithms(key, Layout::nchw, harness::AlgorithmSet::best).front();
  const harness::Variant variant{parse(key), Precision::fp32, Layout::nchw, name};
  harness::SharedPlaces places(backend_->allocator(), 4096);
  const harness::Way way = backend_->way(variant);
  places.begin(variant.problem);
  const auto first = way.make(places);
  places.begin(variant.problem);
  const auto second = way.make(places);
  first->upload(0, std::vector<float>(64, 3));
  first->run();
  second->run();
  EXPECT_THAT(second->download(), ::testing::Each(2 * (2 * 3 - 1) - 1));
  EXPECT_THAT(first->download(), ::testing::Each(5));
}

TEST_F(OnednnBackendTest, LayoutsWorthMeasuring) {
  using enum Layout;
  EXPECT_THAT(layouts(convolution), ElementsAre(nchw, nhwc, any));
  EXPECT_THAT(layouts("relu/1x64x5x5"), ElementsAre(nchw, nhwc, any));
  EXPECT_THAT(layouts("relu/1x3x5x5"), ElementsAre(nchw, nhwc));  // no block of 8 channels
  EXPECT_THAT(layouts("relu/1x64x5"), ElementsAre(nchw, nhwc, any));
  EXPECT_THAT(layouts("relu/64x5"), ElementsAre(plain));
  EXPECT_THAT(layouts("relu/2x8x2x2x2x2"), ElementsAre(plain));
  EXPECT_THAT(layouts("add/1x64x5x5_1x64x1x1_w"), ElementsAre(nchw, nhwc, any));
  EXPECT_THAT(layouts("gemm/m4_n4_k4_nn"), ElementsAre(plain));
  EXPECT_THAT(layouts("softmax/1x1000_a1"), ElementsAre(plain));
  EXPECT_THAT(layouts("copy/10_f1_t1"), ElementsAre(plain));
}

TEST_F(OnednnBackendTest, ReferenceCodeOnRequestOnly) {
  const auto is_reference = [](const harness::Algorithm& name) {
    return name.find("ref") != std::string::npos;
  };
  const auto all = algorithms(convolution, Layout::nchw, harness::AlgorithmSet::all);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), is_reference));
  const auto every = algorithms(convolution, Layout::nchw, harness::AlgorithmSet::with_reference);
  EXPECT_GT(every.size(), all.size());
  EXPECT_TRUE(std::any_of(every.begin(), every.end(), is_reference));
}

TEST_F(OnednnBackendTest, ReferenceCodeWhereThereIsNothingElse) {
  // The library has dilated pooling as reference code only.
  const char* dilated = "maxpool/1x16x13x11_k3x3_p0.0.0.0_s1x1_d2x2";
  EXPECT_THAT(algorithms(dilated, Layout::nchw, harness::AlgorithmSet::all),
              ElementsAre("ref:any"));
  EXPECT_THAT(algorithms(dilated, Layout::nchw, harness::AlgorithmSet::best),
              ElementsAre("ref:any"));
}

TEST_F(OnednnBackendTest, NoReferenceCodeWhereAnotherLayoutHasBetter) {
  EXPECT_THAT(refusal(convolution, Precision::int8, Layout::nchw),
              HasSubstr("only reference code in this layout, and better in another"));
  EXPECT_THAT(
      algorithms(convolution, Layout::nchw, harness::AlgorithmSet::with_reference, Precision::int8),
      ::testing::Contains(testing::StartsWith("ref")));
  EXPECT_EQ(refusal(convolution, Precision::int8, Layout::nhwc), "");
}

TEST_F(OnednnBackendTest, BestIsTheFirstOfAll) {
  for (const char* key : {"maxpool/1x16x8x8_k2x2_p0.0.0.0_s2x2_d1x1", "relu/1x16x8x8"}) {
    const auto all = algorithms(key, Layout::nhwc, harness::AlgorithmSet::all);
    ASSERT_GE(all.size(), 1U);
    EXPECT_THAT(algorithms(key, Layout::nhwc, harness::AlgorithmSet::best),
                ElementsAre(all.front()));
  }
}

TEST_F(OnednnBackendTest, AllMeansAllImplementations) {
  // Includes slower code for older instruction sets.
  const auto all = algorithms("maxpool/1x16x8x8_k2x2_p0.0.0.0_s2x2_d1x1", Layout::nhwc,
                              harness::AlgorithmSet::all);
  EXPECT_GE(all.size(), 2U);
}

TEST_F(OnednnBackendTest, NamesAreUniqueAndFitABenchmarkName) {
  for (const char* key : {convolution, "gemm/m4_n8_k4_nt_w", "relu/1x16x8x8", "copy/10_f1_t1"}) {
    for (const Layout layout : layouts(key)) {
      const auto names = algorithms(key, layout, harness::AlgorithmSet::with_reference);
      EXPECT_EQ(std::set<harness::Algorithm>(names.begin(), names.end()).size(), names.size());
      for (const harness::Algorithm& name : names)
        EXPECT_EQ(name.find_first_of("/ "), std::string::npos);
    }
  }
}

TEST_F(OnednnBackendTest, AnswersTheSameAfterAPrimitiveWasMade) {
  const auto before =
      algorithms("relu/1x16x8x8", Layout::nhwc, harness::AlgorithmSet::with_reference);
  std::vector<std::shared_ptr<harness::Primitive>> primitives;
  for (const harness::Algorithm& name : before) {
    primitives.push_back(
        harness::made(*backend_, {parse("relu/1x16x8x8"), Precision::fp32, Layout::nhwc, name}));
    EXPECT_EQ(algorithms("relu/1x16x8x8", Layout::nhwc, harness::AlgorithmSet::with_reference),
              before);
  }
}

// Only convolutions written for 1x1 filters count, of which the library has none for channels-last
// images with SSE4.1 alone.
TEST_F(OnednnBackendTest, InnerProductAndConvolutionAreOtherWaysToMultiplyByAWeight) {
  const auto count = [&](const char* key, Layout layout, const auto& wanted) {
    return std::ranges::count_if(algorithms(key, layout, harness::AlgorithmSet::all), wanted);
  };
  const auto is_for_1x1 = [](const harness::Algorithm& name) {
    return name.find("1x1") != harness::Algorithm::npos && !name.starts_with("product.");
  };
  const bool has_1x1 =
      count("conv/1x4x1x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1", Layout::nhwc, is_for_1x1) > 0;
  EXPECT_TRUE(has_1x1 || !has_instructions(dnnl::cpu_isa::avx2));
  for (const std::string_view prefix : {"inner_product.", "convolution."}) {
    const auto has_prefix = [&](const harness::Algorithm& name) {
      return name.starts_with(prefix);
    };
    EXPECT_EQ(count("gemm/m4_n8_k4_nt_w", Layout::plain, has_prefix) > 0,
              has_1x1 || prefix == "inner_product.")
        << prefix;
    EXPECT_EQ(count("gemm/m4_n8_k4_nt", Layout::plain, has_prefix), 0) << prefix;
    EXPECT_EQ(count("gemm/m4_n8_k4_tn_w", Layout::plain, has_prefix), 0) << prefix;
  }
}

// Found against ONNX Runtime: reference code took 2.9 ms for what 15 us suffice for.
TEST_F(OnednnBackendTest, ReferenceCodeStaysWhereNoLayoutHasBetter) {
  const char* const key = "add/2x16x1x5_2x16x5x1";
  const auto names = algorithms(key, Layout::nchw, harness::AlgorithmSet::all);
  if (!std::ranges::all_of(names, [](const harness::Algorithm& name) {
        return name.find("ref:") != std::string::npos;
      })) {
    GTEST_SKIP() << "this version has more than reference code for it";
  }
  EXPECT_THAT(names, testing::Contains("folded.ref:any")) << "a way of its own, not a better one";
  EXPECT_NO_THROW(algorithms(key, Layout::nhwc, harness::AlgorithmSet::all));
}

// Found against oneDNN's issues: 3.7.2 has only reference code for this product, and merging the
// batch axes went around it.
TEST_F(OnednnBackendTest, ProductsAreAlsoAskedForInTheAxesOfTheModel) {
  const auto has_axes = [&](const char* key) {
    const auto names = algorithms(key, Layout::plain, harness::AlgorithmSet::with_reference);
    return std::ranges::any_of(
        names, [](const harness::Algorithm& name) { return name.starts_with("axes."); });
  };
  EXPECT_TRUE(has_axes("gemm/m9_n9_k8_nt_a2x3_b2x3_add_y1x1x9x9"));
  EXPECT_TRUE(has_axes("gemm/m9_n9_k8_nn_a2x3_b1x1"));
  EXPECT_FALSE(has_axes("gemm/m9_n9_k8_nn_a2x3_b1x1_w")) << "weights are asked for as a matrix";
  EXPECT_FALSE(has_axes("gemm/m9_n9_k8_nt_a3_b3")) << "nothing to merge";
}

TEST_F(OnednnBackendTest, BroadcastsAreAskedForInTheFewestAxes) {
  for (const char* key : {"mul/1x128x16x32_1x128x1x32_w", "add/1x64x3x49x49_1x64x1x49x49_w",
                          "add/2x3x4x5x6_1x1x4x5x6_w"}) {
    const auto names = algorithms(key, Layout::nchw, harness::AlgorithmSet::all);
    EXPECT_TRUE(std::ranges::any_of(names, [](const harness::Algorithm& name) {
      return name.starts_with("folded.jit");
    })) << key;
  }
}

// A channels-last convolution with 1x1 filters is a matrix product; a mean is a product with ones.
TEST_F(OnednnBackendTest, WhatIsAProductIsAskedForAsOne) {
  using enum Layout;
  const auto ways = [&](const char* key, Layout layout) {
    std::set<std::string> prefixes;
    for (const auto& name : algorithms(key, layout, harness::AlgorithmSet::all)) {
      for (const char* const prefix :
           {"product.inner_product.", "product.", "reduction.", "pooling."}) {
        if (!name.starts_with(prefix)) continue;
        prefixes.insert(prefix);
        break;
      }
    }
    return prefixes;
  };
  const char* const pixels = "conv/1x16x9x9_k24x1x1_p0.0.0.0_s1x1_d1x1_g1_bias";
  EXPECT_THAT(ways(pixels, nhwc), ElementsAre("product.", "product.inner_product."));
  EXPECT_THAT(ways(pixels, nchw), ElementsAre());
  for (const char* const other : {convolution, "conv/1x16x9x9_k16x1x1_p0.0.0.0_s2x2_d1x1_g1",
                                  "conv/1x16x9x9_k16x1x1_p0.0.0.0_s1x1_d1x1_g16",
                                  "conv/1x16x9x9_k16x1x1_p1.1.1.1_s1x1_d1x1_g1"}) {
    EXPECT_THAT(ways(other, nhwc), ElementsAre()) << other;
  }
  const char* const image = "avgpool/1x16x9x9_k9x9_p0.0.0.0_s1x1_d1x1_exclude";
  EXPECT_THAT(ways(image, nhwc), testing::Contains("product."));
  EXPECT_THAT(ways("avgpool/1x16x9x9_k3x9_p0.0.0.0_s1x1_d1x1_exclude", nhwc), ElementsAre());
  EXPECT_THAT(ways("maxpool/1x16x9x9_k9x9_p0.0.0.0_s1x1_d1x1", nchw),
              testing::Not(testing::Contains("product.")));
  EXPECT_THAT(ways("reducemean/4x33x16_a1", plain),
              testing::IsSupersetOf({"pooling.", "product."}));
  EXPECT_THAT(ways("reducemean/4x33x16_a0.2", plain), ElementsAre());
  for (const char* const norm : {"reducel2/4x33x16_a1", "reducel1/4x33_a1", "reducel2/4x33_a1"})
    EXPECT_THAT(ways(norm, plain), testing::Contains("product.")) << norm;
}

class OnednnThreads : public OnednnBackendTest {
 protected:
  OnednnThreads() { omp_set_num_threads(8); }
  ~OnednnThreads() override { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

// 4 MFLOP are little work for two or more threads; 8 threads are the maximum.
TEST_F(OnednnThreads, FewerAreAskedForWhereThereIsLittleToDo) {
  const auto counts = [](const char* key, harness::AlgorithmSet set) {
    return fewer_threads(parse(key), Precision::fp32, set);
  };
  using enum harness::AlgorithmSet;
  EXPECT_THAT(counts("relu/1000", all), ElementsAre(1, 2, 4));
  EXPECT_THAT(counts("gemm/m100_n100_k200_nn", all), ElementsAre(2, 4));
  EXPECT_THAT(counts("relu/65536", all), ElementsAre(2, 4));
  EXPECT_THAT(counts("relu/1000000", all), ElementsAre());
  EXPECT_THAT(counts("relu/1000000", with_reference), ElementsAre(1, 2, 4));
  EXPECT_THAT(counts("relu/1000", best), ElementsAre());
}

// Of 100 steps, each has 0.13 MFLOP and 256 KiB of weights, those of its state: 128 x 512 numbers.
TEST_F(OnednnThreads, OfARecurrenceWhatAStepDoesCounts) {
  const auto counts = [](const char* key) {
    return fewer_threads(parse(key), Precision::fp32, harness::AlgorithmSet::all);
  };
  EXPECT_THAT(counts("lstm/t100_n1_i128_h128_l1_forward_bias"), ElementsAre(1, 2, 4));
  EXPECT_THAT(counts("lstm/t100_n1_i256_h256_l1_forward_bias"), ElementsAre(4));
  EXPECT_THAT(counts("lstm/t100_n1_i512_h512_l1_forward_bias"), ElementsAre());
}

// What the library calls "ref" (3.7: "ref+matmul") of a recurrence are its matrix products.
TEST_F(OnednnThreads, ARecurrenceOfProductsIsNoReferenceCode) {
  for (const char* const key :
       {"gru/t20_n1_i128_h128_l1_forward_bias", "gru/t20_n1_i128_h128_l1_forward_lbr_bias"}) {
    EXPECT_THAT(
        algorithms(key, Layout::plain, harness::AlgorithmSet::all),
        testing::Contains(testing::MatchesRegex("(row_major[.])?ref([+]matmul)?[.]threads=1")))
        << key;
  }
}

TEST_F(OnednnThreads, TheNameSaysHowMany) {
  EXPECT_EQ(to_string(ThreadedName{"jit:avx2", 4}), "jit:avx2.threads=4");
  EXPECT_EQ(to_string(ThreadedName{"jit:avx2"}), "jit:avx2");
  EXPECT_EQ(threaded_name("jit:avx2.threads=4"), (ThreadedName{"jit:avx2", 4}));
  for (const char* const name : {"jit:avx2", "jit.threads=", "jit.threads=0", "jit.threads=2x"}) {
    EXPECT_EQ(threaded_name(name), ThreadedName{name});
  }
  const auto names = algorithms("relu/1000", Layout::plain, harness::AlgorithmSet::all);
  EXPECT_THAT(names,
              testing::IsSupersetOf({names.front() + ".threads=1", names.front() + ".threads=4"}));
  EXPECT_THAT(algorithms("relu/1000", Layout::plain, harness::AlgorithmSet::best),
              ElementsAre(names.front()));
}

// The call runs on the number of threads in its name and restores the previous number.
TEST_F(OnednnThreads, ACallHasItsOwnCount) {
  const auto few = harness::made(
      *backend_, {parse("relu/100000"), Precision::fp32, Layout::plain,
                  algorithms("relu/100000", Layout::plain, harness::AlgorithmSet::all).front() +
                      ".threads=2"});
  EXPECT_EQ(omp_get_max_threads(), 8);
  few->run();
  EXPECT_EQ(omp_get_max_threads(), 8);
  {
    const ThreadCount three(3);
    EXPECT_EQ(omp_get_max_threads(), 3);
    const ThreadCount same(std::nullopt);
    EXPECT_EQ(omp_get_max_threads(), 3);
  }
  EXPECT_EQ(omp_get_max_threads(), 8);
}

// The others are cases/refusals.cases.
TEST_F(OnednnBackendTest, RefusesWhatIsNotAskedForInOneLine) {
  // Where the processor has fp16, version 3 has reference code in this layout.
  EXPECT_THAT(refusal(convolution, Precision::fp16, Layout::nchw), StartsWith("oneDNN"));
  EXPECT_THAT(refusal("relu/4x4", Precision::fp32, Layout::nhwc), HasSubstr("nhwc of rank 2"));
}

TEST_F(OnednnBackendTest, UnknownAlgorithmIsUnsupported) {
  EXPECT_THROW(
      harness::made(*backend_, {parse("relu/8"), Precision::fp32, Layout::plain, "jit:z80"}),
      harness::Unsupported);
}

TEST_F(OnednnBackendTest, ScratchMemoryIsCounted) {
  // A convolution through gemm unfolds its input: at least nine copies of 16 channels of 81 pixels.
  const auto names = algorithms(convolution, Layout::nchw, harness::AlgorithmSet::all);
  const auto gemm = std::find_if(names.begin(), names.end(), [](const harness::Algorithm& name) {
    return name.find("gemm") != std::string::npos;
  });
  if (gemm == names.end()) GTEST_SKIP() << "no convolution through gemm on this processor";
  const auto primitive =
      harness::made(*backend_, {parse(convolution), Precision::fp32, Layout::nchw, *gemm});
  EXPECT_GE(primitive->workspace_bytes(), 9 * 16 * 81 * 4);
}

TEST(OnednnErrors, BecomeOurs) {
  const auto failing = [](dnnl_status_t status) {
    return [status]() -> int { throw dnnl::error(status, "could not do it"); };
  };
  EXPECT_THROW(library_call("x", failing(dnnl_out_of_memory)), std::bad_alloc);
  EXPECT_THROW(offered(failing(dnnl_out_of_memory)), std::bad_alloc);
  EXPECT_THROW(offered(failing(dnnl_unimplemented)), harness::Unsupported);
  EXPECT_THROW(offered(failing(dnnl_invalid_arguments)), harness::Unsupported);
  try {
    library_call("conversion", failing(dnnl_runtime_error));
    FAIL();
  } catch (const harness::Unsupported&) {
    FAIL() << "a failure is not a refusal";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("could not do it (runtime_error), conversion, "));
    EXPECT_THAT(error.what(), HasSubstr("backend_test.cpp:"));
  }
}

}  // namespace
}  // namespace benanza::onednn
