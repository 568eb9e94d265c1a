// Attention in cuDNN's logs: a log of cuDNN 9.19 under PyTorch 2.11, an H200. Its graphs are called
// by torch.nn.functional.scaled_dot_product_attention and its gradient.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/gzip.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

using testing::ElementsAre;

std::string logged_attentions() {
  return gunzip(read_file(BENANZA_RECORD_DATA "/logs/cudnn_9.19_attention.log.gz"));
}

std::vector<std::string> problems(const std::string& log) {
  std::vector<std::string> keys;
  for (const LibraryCall& call : api_calls(log)) keys.push_back(call.problem);
  return keys;
}

/// `text` with every `from` as `to`.
std::string with(std::string text, std::string_view from, std::string_view to) {
  std::size_t count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
    ++count;
  }
  EXPECT_GT(count, 0) << from;
  return text;
}

constexpr const char* grouped = "attention/1x32x512x128_k8x512x128_s0.0883883_causal";
constexpr const char* whole = "attention/2x12x197x64_k12x197x64_s0.125";
constexpr const char* masked = "attention/1x32x1x128_k32x600x128_s0.0883883_m1x1x1x600";
constexpr const char* trained = "attention/2x16x256x64_k16x256x64_s0.125_causal";
constexpr const char* gradient = "attention_bwd/2x16x256x64_k16x256x64_s0.125_causal";

TEST(CudnnAttention, HasProblemsButWithDropoutNone) {
  const auto calls = api_calls(logged_attentions());
  EXPECT_THAT(problems(logged_attentions()),
              ElementsAre(grouped, whole, masked, trained, gradient));
  ASSERT_EQ(calls.size(), 5);
  EXPECT_EQ(calls[0].data, Precision::bf16);
  EXPECT_EQ(calls[1].data, Precision::fp16);
  EXPECT_TRUE(calls[1].algorithm.starts_with("unified.engine 9")) << calls[1].algorithm;
  EXPECT_EQ(calls[4].data, Precision::bf16);
}

TEST(CudnnAttention, WithAnythingElseHasNone) {
  const std::string log = logged_attentions();
  EXPECT_THAT(problems(with(log, "CUDNN_POINTWISE_CMP_GE", "CUDNN_POINTWISE_CMP_LT")),
              ElementsAre(whole, masked))
      << "masks that are not causal";
  EXPECT_THAT(
      problems(with(log, "dimA: type=int; val=[2,12,197,64]", "dimA: type=int; val=[2,12,197]")),
      ElementsAre(grouped, masked, trained, gradient));
  EXPECT_THAT(problems(with(log, "val=[2,16,256,64]", "val=[16,256,64]")),
              ElementsAre(grouped, whole, masked));
  EXPECT_THAT(problems(with(log, "CUDNN_POINTWISE_EXP", "CUDNN_POINTWISE_ERF")),
              ElementsAre(whole));
  const auto at = log.find("pageTableKDesc");
  const std::string pages = log.substr(0, at) +
                            with(log.substr(at, 300), "val=[]", "val=[2,1,8,1]") +
                            log.substr(at + 300);
  EXPECT_THAT(problems(pages), ElementsAre(grouped, masked, trained, gradient));
}

// Fewer queries than keys, and a causal mask from the upper left on.
TEST(CudnnAttention, SeesTheKeysUpToItsOwn) {
  std::string log = with(logged_attentions(), "[1,32,512,128]", "[1,32,256,128]");
  log = with(log, "[1,32,512,512]", "[1,32,256,512]");
  EXPECT_THAT(problems(log), ElementsAre(whole, masked, trained, gradient));
}

}  // namespace
}  // namespace benanza::record
