// Casts as graphs: the graphs given to the library, and the engines it offers for a described H100.
#include "suites/cudnn/ops/graphs.h"

#include <gmock/gmock.h>

#include "suites/cudnn/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

std::vector<GraphCall> calls(const char* key, Precision precision) {
  return cast_graphs(shape_of<Cast>(key), variant(key, precision));
}

TEST(CastGraph, IsOfTwoTypes) {
  const auto narrow = calls("narrow/1x1024", Precision::bf16);
  ASSERT_EQ(narrow.size(), 1U);
  EXPECT_EQ(narrow[0].inputs.at(0),
            (nvidia::TensorFormat{Precision::fp32, {8, 128, 1, 1}, {128, 1, 128, 128}}));
  EXPECT_EQ(narrow[0].output,
            (nvidia::TensorFormat{Precision::bf16, {8, 128, 1, 1}, {128, 1, 128, 128}}));
  const auto widen = calls("widen/1x1024", Precision::fp16);
  EXPECT_EQ(widen[0].inputs.at(0).precision, Precision::fp16);
  EXPECT_EQ(widen[0].output.precision, Precision::fp32);
}

// 25,557,032 parameters are 3,194,629 rows of 8; a prime number of them is a single row.
TEST(CastGraph, HasNoSingleColumn) {
  EXPECT_EQ(calls("narrow/1x25557032", Precision::fp16)[0].output.dims, (Dims{3194629, 8, 1, 1}));
  EXPECT_EQ(calls("narrow/1x10007", Precision::fp16)[0].output.dims, (Dims{1, 10007, 1, 1}));
}

TEST(CastGraph, BetweenEqualTypesThereIsNone) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::int8}) {
    EXPECT_THROW(calls("narrow/1x1024", precision), harness::Unsupported);
  }
}

TEST(CastCall, IsTheOtherWay) {
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  nvidia::LazyContext device{nvidia::CudaOptions{}};
  CudnnBackend backend(device);
  const Problem problem = parse("narrow/1x1024");
  const auto all = harness::AlgorithmSet::all;
  EXPECT_THAT(harness::algorithms(backend, problem, Precision::fp16, Layout::plain, all),
              testing::Contains("op_tensor"));
  EXPECT_THROW(harness::algorithms(backend, problem, Precision::fp32, Layout::plain, all),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
