#include "suites/record/onednn_verbose.h"

#include <gtest/gtest.h>

namespace benanza::record {
namespace {

TEST(OnednnLine, OfVersion2) {
  const auto line = parse_onednn_line(
      "onednn_verbose,exec,cpu,convolution,brgconv:avx512_core,forward_inference,"
      "src_f32::blocked:acdb:f0 wei_f32::blocked:Acdb64a:f0 bia_f32::blocked:a:f0 "
      "dst_f32::blocked:acdb:f0,attr-scratchpad:user attr-post-ops:eltwise_relu ,"
      "alg:convolution_direct,mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1,15.2688");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, OnednnLine::Kind::exec);
  EXPECT_EQ(line->call.engine, "cpu");
  EXPECT_EQ(line->call.kind, "convolution");
  EXPECT_EQ(line->call.implementation, "brgconv:avx512_core");
  EXPECT_EQ(line->call.prop_kind, "forward_inference");
  EXPECT_EQ(line->call.attributes, "attr-scratchpad:user attr-post-ops:eltwise_relu");
  EXPECT_EQ(line->call.auxiliary, "alg:convolution_direct");
  EXPECT_EQ(line->call.problem, "mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1");
  EXPECT_EQ(line->milliseconds, 15.2688);
  EXPECT_FALSE(line->timestamp);
}

TEST(OnednnLine, OfVersion3WithTimeAndComponent) {
  const auto line = parse_onednn_line(
      "onednn_verbose,v1,1795391113089.985107,primitive,exec,cpu,reorder,jit:uni,undef,"
      "src:f32::blocked:abcd::f0 dst:f32::blocked:Acdb16a::f0,attr-scratchpad:user,,16x3x3x3,"
      "0.00292969");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, OnednnLine::Kind::exec);
  EXPECT_EQ(line->timestamp, 1795391113089.985107);
  EXPECT_EQ(line->call.kind, "reorder");
  EXPECT_EQ(line->call.auxiliary, "");
  EXPECT_EQ(line->call.problem, "16x3x3x3");
  EXPECT_EQ(line->milliseconds, 0.00292969);
}

TEST(OnednnLine, WhatTheLibrarySaysOfItself) {
  const auto line = parse_onednn_line("dnnl_verbose,info,cpu,runtime:OpenMP,nthr:2");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, OnednnLine::Kind::info);
  EXPECT_EQ(line->info, "cpu,runtime:OpenMP,nthr:2");
}

TEST(OnednnLine, CreationIsNoCall) {
  const auto line = parse_onednn_line("onednn_verbose,create:cache_hit,cpu,reorder,a,b,c,d,e,f,1");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, OnednnLine::Kind::other);
}

TEST(OnednnLine, ProgramsOwnWordsAndCutLinesAreNone) {
  EXPECT_FALSE(parse_onednn_line("onednn_verbose,is a log of oneDNN"));
  EXPECT_FALSE(parse_onednn_line("onednn_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blo"));
  EXPECT_FALSE(parse_onednn_line("onednn_verbose,exec,cpu,reorder,jit:uni,undef,a,,,2x2,fast"));
  EXPECT_FALSE(parse_onednn_line(""));
}

}  // namespace
}  // namespace benanza::record
