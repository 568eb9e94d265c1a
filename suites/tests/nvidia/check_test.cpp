#include "suites/nvidia/device/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST(Check, SuccessIsSilent) { EXPECT_NO_THROW(check(cudaSuccess, "cudaMalloc")); }

TEST(Check, NamesCallWordsAndPlaceInOneLine) {
  EXPECT_THAT([] { check(cudaErrorInvalidValue, "cudaMemcpyAsync"); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("cudaMemcpyAsync: cudaErrorInvalidValue, invalid argument"),
                        HasSubstr("(check_test.cpp:"), Not(HasSubstr("\n")), Not(HasSubstr("/")))));
}

TEST(Check, StickyErrorsLoseTheDevice) {
  EXPECT_THROW(check(cudaErrorIllegalAddress, "x"), DeviceLost);
  EXPECT_THROW(check(cudaErrorLaunchFailure, "x"), DeviceLost);
  EXPECT_THROW(check(cudaErrorECCUncorrectable, "x"), DeviceLost);
  EXPECT_FALSE(is_sticky(cudaErrorStreamCaptureUnsupported));
  EXPECT_FALSE(is_sticky(cudaErrorMemoryAllocation));
  EXPECT_FALSE(is_sticky(cudaSuccess));
}

TEST(Check, MemoryThatIsNotThereIsBadAlloc) {
  EXPECT_THROW(check(cudaErrorMemoryAllocation, "cudaMalloc"), std::bad_alloc);
}

TEST(CudaVersion, Text) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12060), "12.6");
}

}  // namespace
}  // namespace benanza::nvidia
