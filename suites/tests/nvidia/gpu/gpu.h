#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

/// A test on the first GPU; skipped if there is none.
struct OnGpu : testing::Test {
  void SetUp() override { open({}); }
  void open(const CudaOptions& options) {
    gpu.emplace(options);
    try {
      gpu->get();
    } catch (const NoGpu& none) {
      GTEST_SKIP() << none.what();
    }
  }
  std::optional<LazyContext> gpu;
};

}  // namespace benanza::nvidia
