#include <gtest/gtest.h>

#include "record/logs/shared/log.h"

namespace benanza::record {
Log onednn_log();

namespace {

std::optional<LogEntry> read_line(std::string_view line) { return onednn_log().read_line(line); }

TEST(OnednnLine, OfVersion2) {
  const auto line = read_line(
      "onednn_verbose,exec,cpu,convolution,brgconv:avx512_core,forward_inference,"
      "src_f32::blocked:acdb:f0 wei_f32::blocked:Acdb64a:f0 bia_f32::blocked:a:f0 "
      "dst_f32::blocked:acdb:f0,attr-scratchpad:user attr-post-ops:eltwise_relu ,"
      "alg:convolution_direct,mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1,15.2688");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, LogEntry::Kind::call);
  EXPECT_EQ(line->text.engine, "cpu");
  EXPECT_EQ(line->text.kind, "convolution");
  EXPECT_EQ(line->text.implementation, "brgconv:avx512_core");
  EXPECT_EQ(line->text.prop_kind, "forward_inference");
  EXPECT_EQ(line->text.attributes, "attr-scratchpad:user attr-post-ops:eltwise_relu");
  EXPECT_EQ(line->text.auxiliary, "alg:convolution_direct");
  EXPECT_EQ(line->text.problem, "mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1");
  EXPECT_EQ(line->milliseconds, 15.2688);
  EXPECT_FALSE(line->started);
}

TEST(OnednnLine, OfVersion3WithTimeAndComponent) {
  const auto line = read_line(
      "onednn_verbose,v1,1795391113089.985107,primitive,exec,cpu,reorder,jit:uni,undef,"
      "src:f32::blocked:abcd::f0 dst:f32::blocked:Acdb16a::f0,attr-scratchpad:user,,16x3x3x3,"
      "0.00292969");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, LogEntry::Kind::call);
  EXPECT_EQ(line->started, 1795391113089.985107 * 1e-3);
  EXPECT_EQ(line->text.kind, "reorder");
  EXPECT_EQ(line->text.auxiliary, "");
  EXPECT_EQ(line->text.problem, "16x3x3x3");
  EXPECT_EQ(line->milliseconds, 0.00292969);
}

TEST(OnednnLine, WhatTheLibrarySaysOfItself) {
  const auto line = read_line("dnnl_verbose,info,cpu,runtime:OpenMP,nthr:2");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, LogEntry::Kind::about_library);
  EXPECT_EQ(line->words, "cpu,runtime:OpenMP,nthr:2");
}

TEST(OnednnLine, CreationIsNoCall) {
  const auto line = read_line("onednn_verbose,create:cache_hit,cpu,reorder,a,b,c,d,e,f,1");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, LogEntry::Kind::other);
}

TEST(OnednnLine, ProgramsOwnWordsAndCutLinesAreNone) {
  EXPECT_FALSE(read_line("onednn_verbose,is a log of oneDNN"));
  EXPECT_FALSE(read_line("onednn_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blo"));
  EXPECT_FALSE(read_line("onednn_verbose,exec,cpu,reorder,jit:uni,undef,a,,,2x2,fast"));
  EXPECT_FALSE(read_line(""));
  for (const char* time : {"inf", "nan", "-0.5", "1e30", ""}) {
    const std::string line = "onednn_verbose,exec,cpu,reorder,jit:uni,undef,a,,,2x2,";
    EXPECT_TRUE(read_line(line + "0.5"));
    EXPECT_FALSE(read_line(line + time)) << time;
  }
}

}  // namespace
}  // namespace benanza::record
