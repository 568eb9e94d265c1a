// Weights from memory, with a real library.
#include <gmock/gmock.h>

#include "suites/harness/run/later_passes.h"
#include "suites/onednn/backend.h"
#include "suites/verify/verification_cases.h"

namespace benanza::onednn {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// A product whose weights are at least 1/64 of twice the caches, so that they can rotate.
std::string large_product(std::int64_t cache_bytes) {
  const std::int64_t columns = std::max<std::int64_t>(256, cache_bytes / 32 / 4 / 256);
  return "gemm/m1_n" + std::to_string(columns) + "_k256_nn_w";
}

struct Rotation : testing::Test {
  std::unique_ptr<harness::Backend> backend = make_backend();
  harness::ResultStore store{"", {.backend = "onednn"}, false};
  harness::MeasureOptions options{.budget_seconds = 0.02};
  harness::Verifier check = verify::verifier();

  harness::Variant add(const std::string& key, double seconds) {
    harness::Variant variant{parse(key), Precision::fp32, Layout::plain, ""};
    variant.algorithm = backend->ways(variant, harness::AlgorithmSet::best).front().name;
    harness::Outcome outcome{.status = Status::ok, .samples = {seconds}};
    store.add(harness::make_row(name(variant, key), 0, {}, outcome));
    return variant;
  }
  static std::string name(const harness::Variant& variant, const std::string& key) {
    return key + "/fp32/plain/onednn/" + variant.algorithm;
  }
};

TEST_F(Rotation, AddsTheTimeOfWeightsFromMemoryOnce) {
  const std::string key = large_product(backend->stopwatch().cache_bytes());
  const harness::Variant variant = add(key, 1e-3);
  const harness::LaterPass pass = rotation_pass(*backend, check, store, 1, options);
  const std::vector<Row> due = pass.rows_due(name(variant, key));
  ASSERT_THAT(due, SizeIs(1));
  const Row done = pass.completed(due.front(), pass.measure(variant, due.front()));
  EXPECT_EQ(done.rotating_failed, "");
  ASSERT_TRUE(done.rotating_seconds);
  EXPECT_GT(*done.rotating_seconds, 0);
  EXPECT_GE(done.rotating_copies.value_or(0), 2);
  store.add(done);
  EXPECT_THAT(pass.rows_due(name(variant, key)), IsEmpty());
}

TEST_F(Rotation, LeavesOutSmallWeightsAndSlowCalls) {
  const harness::Variant small = add("gemm/m1_n8_k8_nn_w", 1e-6);
  const std::string key = large_product(backend->stopwatch().cache_bytes());
  const harness::Variant large = add(key, 2e-3);
  harness::Outcome faster{.status = Status::ok, .samples = {1e-3}};
  store.add(harness::make_row(key + "/fp32/plain/onednn/another", 0, {}, faster));
  const harness::LaterPass pass = rotation_pass(*backend, check, store, 1, options);
  EXPECT_THAT(pass.rows_due(name(small, "gemm/m1_n8_k8_nn_w")), IsEmpty());
  EXPECT_THAT(pass.rows_due(name(large, key)), IsEmpty()) << "2 ms, and another takes 1";
}

}  // namespace
}  // namespace benanza::onednn
