#include "record/logs/shared/call_text.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(CallMemory, IsReadAsWritten) {
  for (const CallMemory& memory :
       {CallMemory{Precision::fp16, Layout::nhwc}, CallMemory{Precision::bf16, std::nullopt},
        CallMemory{std::nullopt, Layout::nchw}, CallMemory{}}) {
    EXPECT_EQ(read_call_memory(to_string(memory)), memory) << to_string(memory);
  }
  EXPECT_EQ(to_string(CallMemory{Precision::fp16, Layout::nhwc}), "fp16 nhwc");
  EXPECT_EQ(read_call_memory("src_f32::blocked:ab:f0"), CallMemory{}) << "oneDNN's";
}

}  // namespace
}  // namespace benanza
