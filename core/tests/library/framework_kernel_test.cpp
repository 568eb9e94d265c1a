#include "core/library/framework_kernel.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(FrameworkKernel, NamesOfFusedKernelsAreWords) {
  EXPECT_EQ(framework_operation("triton_poi_fused_add_mul_9"), "add mul");
  EXPECT_EQ(framework_operation("triton_red_fused__to_copy__unsafe_view_add_mean_0"),
            "to copy unsafe view add mean");
}

}  // namespace
}  // namespace benanza
