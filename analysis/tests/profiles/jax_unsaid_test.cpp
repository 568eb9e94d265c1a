// Types and attributes of products in XLA's text that the keys of problems do not tell: such an
// instruction has no problem, and the profile says why.
#include <gmock/gmock.h>

#include <string>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/tests/profiles/hlo_text.h"

namespace benanza::analysis {
namespace {

using test::answer;
using test::dot_text;
using test::entry;
using test::told;
using testing::IsEmpty;

const std::string gemm_key = "gemm/m64_n96_k128_nn";

TEST(JaxUnsaid, ProductsOfOtherTypes) {
  for (const char* type : {"f32", "bf16", "f16"}) {
    EXPECT_EQ(answer(dot_text(type, type, type)), gemm_key);
    EXPECT_EQ(told(dot_text(type, type, type)).remark, "");
  }
  for (const std::string type : {"f64", "c64", "c128", "s32", "s8", "u8", "f8e4m3fn", "f8e5m2"}) {
    EXPECT_EQ(answer(dot_text(type, type, type)), "none: products of " + type);
  }
  EXPECT_EQ(answer(dot_text("s8", "s8", "s32")), "none: products of s8 with results of s32");
  EXPECT_EQ(answer(dot_text("f8e4m3fn", "f8e4m3fn", "f32")),
            "none: products of f8e4m3fn with results of f32");
  EXPECT_EQ(answer(dot_text("bf16", "f32", "f32")), "none: products of bf16 and f32");
  EXPECT_EQ(answer(dot_text("f32", "f32", "bf16")), "none: products of f32 with results of bf16");
  EXPECT_EQ(answer(dot_text("f16", "f16", "bf16")), "none: products of f16 with results of bf16");
  // It has a problem, which is told to write less.
  const jax::ToldPart wide = told(dot_text("bf16", "bf16", "f32"));
  EXPECT_EQ(wide.part.problem, gemm_key);
  EXPECT_EQ(wide.remark, "products of bf16 with results of f32");
}

TEST(JaxUnsaid, ProductsKeepTheirOperatorAndResult) {
  const jax::ToldPart product = told(dot_text("f64", "f64", "f64"));
  EXPECT_EQ(product.part.op, "MatMul");
  EXPECT_EQ(product.part.output, (Dims{64, 96}));
  EXPECT_FALSE(product.part.optional);
  EXPECT_THAT(jax::Program(dot_text("f64", "f64", "f64")).products(), testing::ElementsAre("call"));
}

TEST(JaxUnsaid, AlgorithmsAndPrecisionsOfOperands) {
  const auto precisions = [](const std::string& type, const std::string& attributes) {
    return jax::Program(dot_text(type, type, type, attributes)).product_precisions();
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(precisions("f32", ""), (Names{"fp32", "tf32"}));
  const std::string highest = ", operand_precision={highest,highest}";
  EXPECT_EQ(answer(dot_text("f32", "f32", "f32", highest)), gemm_key);
  EXPECT_EQ(precisions("f32", highest), Names{"fp32"});
  EXPECT_EQ(precisions("f32", ", operand_precision={high,default}"), (Names{"fp32", "tf32"}));
  EXPECT_EQ(precisions("f32", ", algorithm=dot_f32_f32_f32"), Names{"fp32"});
  EXPECT_EQ(precisions("f32", ", algorithm=dot_tf32_tf32_f32"), Names{"tf32"});
  EXPECT_EQ(answer(dot_text("f32", "f32", "f32", ", algorithm=dot_tf32_tf32_f32")), gemm_key);
  EXPECT_EQ(answer(dot_text("bf16", "bf16", "f32", ", algorithm=dot_bf16_bf16_f32")), gemm_key);
  EXPECT_EQ(precisions("f64", ""), Names{"fp64"});
  EXPECT_EQ(precisions("s8", ""), Names{});
  // Rounded to other types, or several products.
  for (const std::string name : {"dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3",
                                 "dot_bf16_bf16_f32_x9", "dot_tf32_tf32_f32_x3"}) {
    EXPECT_EQ(answer(dot_text("f32", "f32", "f32", ", algorithm=" + name)),
              "none: products of f32 by " + name);
    EXPECT_EQ(precisions("f32", ", algorithm=" + name), Names{});
  }
  EXPECT_EQ(answer(dot_text("f16", "f16", "f16", ", algorithm=dot_f16_f16_f16")),
            "none: products of f16 by dot_f16_f16_f16");
}

TEST(JaxUnsaid, AttributesOfAProduct) {
  EXPECT_EQ(answer(dot_text("f32", "f32", "f32",
                            ", frontend_attributes={_scope=\"a, sparsity=b\"}, "
                            "control-predecessors={%x, %y}")),
            gemm_key);
  EXPECT_EQ(answer(dot_text("f32", "f32", "f32", ", sparsity=L.1@2:4")),
            "none: products with the attribute sparsity");
  EXPECT_EQ(answer(entry(R"(  %a = f32[4,6,8]{2,1,0} parameter(0)
  %b = f32[6,8,5]{2,1,0} parameter(1)
  ROOT %call = f32[4,5]{1,0} dot(%a, %b), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}
)")),
            "none: products over several axes or with vectors");
}

TEST(JaxUnsaid, WeightsThatTheProductItselfUnpacks) {
  const auto fused = [](const std::string& type) {
    return "%fused {\n  %p0 = bf16[64,128]{1,0} parameter(0)\n  %p1 = " + type +
           R"([128,96]{1,0} parameter(1)
  %wide = bf16[128,96]{1,0} convert(%p1)
  %scale = bf16[96]{0} parameter(2)
  %scales = bf16[128,96]{1,0} broadcast(%scale), dimensions={1}
  %w = bf16[128,96]{1,0} multiply(%wide, %scales)
  ROOT %dot = bf16[64,96]{1,0} dot(%p0, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)" + entry(R"(  ROOT %call = bf16[64,96]{1,0} fusion(%x, %w8, %s), kind=kCustom, calls=%fused
)");
  };
  EXPECT_EQ(answer(fused("s8")), "none: products of unpacked s8");
  EXPECT_EQ(answer(fused("s4")), "none: products of unpacked s4");
  EXPECT_EQ(answer(fused("f32")), gemm_key);
}

std::string convolution_text(const std::string& type, const std::string& result,
                             const std::string& attributes) {
  return entry("  %x = " + type + "[2,16,16,8]{3,2,1,0} parameter(0)\n  %w = " + type +
               "[3,3,8,12]{3,2,1,0} parameter(1)\n  ROOT %call = " + result +
               " convolution(%x, %w), " + attributes + "\n");
}

TEST(JaxUnsaid, Convolutions) {
  const std::string plain = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const std::string dims = "[2,16,16,12]{3,2,1,0}";
  const std::string key = "conv/2x8x16x16_k12x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_EQ(answer(convolution_text("f32", "f32" + dims, plain)), key);
  EXPECT_EQ(answer(convolution_text("bf16", "f32" + dims, plain)), key);
  EXPECT_EQ(answer(convolution_text("f32", "f32" + dims,
                                    plain + ", operand_precision={highest,highest}")),
            key);
  EXPECT_EQ(answer(convolution_text("f64", "f64" + dims, plain)), "none: products of f64");
  EXPECT_EQ(answer(convolution_text("s8", "s32" + dims, plain)),
            "none: products of s8 with results of s32");
  const std::string other = "none: convolutions of these windows or groups";
  EXPECT_EQ(answer(convolution_text(
                "f32", "f32" + dims,
                "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f")),
            other);
  EXPECT_EQ(
      answer(convolution_text("f32", "f32[1,16,16,12]{3,2,1,0}", plain + ", batch_group_count=2")),
      other);
  // Groups without the attribute that states them give another result.
  EXPECT_EQ(answer(convolution_text("f32", "f32[2,14,14,12]{3,2,1,0}", plain)), other);
  // The whole window reversed is the same call of the transposed convolution; half of it is none.
  const auto transposed = [&](const std::string& reversal) {
    return answer(convolution_text("f32", "f32[2,32,32,12]{3,2,1,0}",
                                   "window={size=3x3 pad=2_1x2_1 lhs_dilate=2x2" + reversal +
                                       "}, dim_labels=b01f_01io->b01f"));
  };
  EXPECT_EQ(transposed(""), "deconv/2x8x16x16_k12x3x3_p0.0.1.1_s2x2_d1x1_g1");
  EXPECT_EQ(transposed(" rhs_reversal=1x1"), transposed(""));
  EXPECT_EQ(transposed(" rhs_reversal=1x0"), other);
}

TEST(JaxUnsaid, OnlyPadsOfZerosBecomeTheConvolutions) {
  const auto padded = [](const std::string& value) {
    return answer(
        entry("  %x = f32[2,16,16,8]{3,2,1,0} parameter(0)\n  %v = f32[] constant(" + value + R"()
  %pad = f32[2,18,18,8]{3,2,1,0} pad(%x, %v), padding=0_0x1_1x1_1x0_0
  %w = f32[3,3,8,12]{3,2,1,0} parameter(1)
  ROOT %call = f32[2,16,16,12]{3,2,1,0} convolution(%pad, %w), window={size=3x3}, dim_labels=b01f_01io->b01f
)"));
  };
  EXPECT_EQ(padded("0"), "conv/2x8x16x16_k12x3x3_p1.1.1.1_s1x1_d1x1_g1");
  EXPECT_EQ(padded("1"), "conv/2x8x18x18_k12x3x3_p0.0.0.0_s1x1_d1x1_g1");
}

/// A call of cuBLAS of 64x128 by 128x96 with further operands and settings.
std::string cublas(const std::string& target, const std::string& operands,
                   const std::string& settings, const std::string& type = "bf16") {
  const auto tensor = [&](const std::string& name, const std::string& dims) {
    return "  %" + name + " = " + type + dims + "{1,0} parameter(0)\n";
  };
  return entry(
      tensor("a", "[64,128]") + tensor("b", "[128,96]") + tensor("c", "[64,96]") + "  %call = (" +
      type + "[64,96]{1,0}, s8[4194304]{0}) custom-call(%a, %b" + operands +
      "), custom_call_target=\"" + target +
      R"x(", output_to_operand_aliasing={{0}: (2, {})}, metadata={op_name="jit(f)"}, backend_config={"operation_queue_id":"0","gemm_backend_config":{)x" +
      settings +
      R"(,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"alpha_imag":0,"precision_config":{"operand_precision":["DEFAULT","DEFAULT"],"algorithm":"ALG_UNSET"}}}
)");
}

TEST(JaxUnsaid, CallsOfCublas) {
  const std::string lt = "__cublas$lt$matmul";
  const std::string plain = R"("alpha_real":1,"beta":0,"epilogue":"DEFAULT")";
  EXPECT_EQ(answer(cublas(lt, "", plain)), gemm_key);
  EXPECT_EQ(answer(cublas("__cublas$gemm", "", plain)), gemm_key);
  EXPECT_EQ(answer(cublas(lt, "", R"("alpha_real":0.125,"beta":0,"epilogue":"DEFAULT")")),
            gemm_key);
  const std::string added = R"("alpha_real":1,"beta":1,"epilogue":"DEFAULT")";
  EXPECT_EQ(answer(cublas(lt, ", %c", added)), gemm_key + "_residual");
  EXPECT_EQ(answer(cublas("__cublas$gemm", ", %c", added)), gemm_key + "_residual");
  EXPECT_EQ(answer(cublas(lt, ", %c, %bias", R"("beta":1,"epilogue":"BIAS")")),
            gemm_key + "_bias_residual");
  EXPECT_EQ(answer(cublas(lt, ", %bias", R"("beta":0,"epilogue":"BIAS_GELU")")),
            gemm_key + "_bias_gelutanh");
  for (const char* target : {"__cublas$lt$matmul", "__cublas$gemm"}) {
    EXPECT_EQ(answer(cublas(target, ", %c", R"("beta":0.5,"epilogue":"DEFAULT")")),
              "none: beta 0.5");
  }
  EXPECT_EQ(answer(cublas(lt, "", added)), "none: calls of cuBLAS with other operands");
  for (const std::string epilogue : {"RELU_AUX", "GELU_AUX", "SILU"}) {
    EXPECT_EQ(answer(cublas(lt, "", R"("beta":0,"epilogue":")" + epilogue + '"')),
              "none: the epilogue " + epilogue);
    EXPECT_EQ(answer(cublas(lt, ", %bias", R"("beta":0,"epilogue":"BIAS_)" + epilogue + '"')),
              "none: the epilogue BIAS_" + epilogue);
  }
  for (const std::string target :
       {"__cublas$lt$matmul$f8", "__cublas$lt$matmul$mx", "__cublas$lt$groupedMatmul"}) {
    EXPECT_EQ(answer(cublas(target, "", plain)), "none: calls of " + target);
  }
  EXPECT_EQ(answer(cublas("__cublas$lt$matmul$f8", ", %s, %s", plain, "f8e4m3fn")),
            "none: products of f8e4m3fn");
  EXPECT_EQ(answer(cublas("__cublas$gemm", "", plain, "c64")), "none: products of c64");
  EXPECT_THAT(jax::Program(cublas("__cublas$triangularSolve", "", plain)).parts("call"), IsEmpty());
}

TEST(JaxUnsaid, PrecisionsInTheSettingsOfCublas) {
  const std::string plain = R"("alpha_real":1,"beta":0,"epilogue":"DEFAULT")";
  std::string text = cublas("__cublas$gemm", "", plain, "f32");
  EXPECT_EQ(jax::Program(text).product_precisions(), (std::set<std::string>{"fp32", "tf32"}));
  const std::string usual = R"(["DEFAULT","DEFAULT"])";
  std::string highest = text;
  highest.replace(text.find(usual), usual.size(), R"(["HIGHEST","HIGHEST"])");
  EXPECT_EQ(jax::Program(highest).product_precisions(), (std::set<std::string>{"fp32"}));
  text.replace(text.find("ALG_UNSET"), 9, "ALG_DOT_BF16_BF16_F32_X6");
  EXPECT_EQ(answer(text), "none: products of f32 by dot_bf16_bf16_f32_x6");
}

/// A call of cuDNN of 2x8x16x16 with 12 filters of 3x3.
std::string cudnn(const std::string& target, const std::string& operands,
                  const std::string& settings, const std::string& type = "f32") {
  const auto tensor = [&](const std::string& name, const std::string& dims) {
    return "  %" + name + " = " + type + dims + "{3,2,1,0} parameter(0)\n";
  };
  return entry(tensor("x", "[2,16,16,8]") + tensor("w", "[12,3,3,8]") +
               tensor("side", "[2,16,16,12]") + "  %call = (" + type +
               "[2,16,16,12]{3,2,1,0}, u8[0]{0}) custom-call(%x, %w" + operands +
               "), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, "
               "custom_call_target=\"" +
               target + "\", backend_config={\"operation_queue_id\":\"0\"," +
               "\"cudnn_conv_backend_config\":{" + settings +
               ",\"leakyrelu_alpha\":0.25,\"algorithm\":{\"algo_id\":\"33\"}}}\n");
}

TEST(JaxUnsaid, CallsOfCudnn) {
  const std::string fused = "__cudnn$convBiasActivationForward";
  const std::string key = "conv/2x8x16x16_k12x3x3_p1.1.1.1_s1x1_d1x1_g1";
  const auto with = [&](const std::string& mode, const std::string& scale, const std::string& side,
                        const std::string& operands) {
    return answer(cudnn(fused, operands,
                        R"("activation_mode":")" + mode + R"(","conv_result_scale":)" + scale +
                            R"(,"side_input_scale":)" + side));
  };
  EXPECT_EQ(with("kNone", "1", "0", ", %b"), key + "_bias");
  EXPECT_EQ(with("kRelu", "1", "1", ", %b, %side"), key + "_bias_residual_relu");
  // The factor of the tensor that is added takes no time.
  EXPECT_EQ(with("kRelu", "1", "0.5", ", %b, %side"), key + "_bias_residual_relu");
  EXPECT_EQ(with("kRelu", "1", "0.5", ", %b"), "none: a side input that is no operand");
  EXPECT_EQ(with("kRelu", "0.5", "0", ", %b"), "none: conv_result_scale 0.5");
  EXPECT_EQ(with("kRelu6", "1", "0", ", %b"), key + "_bias_clip_a0_b6");
  EXPECT_EQ(with("kElu", "1", "0", ", %b"), key + "_bias_elu_a1");
  EXPECT_EQ(with("kLeakyRelu", "1", "0", ", %b"), key + "_bias_leakyrelu_a0.25");
  EXPECT_EQ(with("kGeluExact", "1", "0", ", %b"), key + "_bias_gelu");
  EXPECT_EQ(with("kBandPass", "1", "0", ", %b"), "none: the function kBandPass");
  EXPECT_EQ(with("kReluX", "1", "0", ", %b"), "none: the function kReluX");
  EXPECT_EQ(answer(cudnn(fused, ", %b", R"("side_input_scale":0)")),
            "none: calls of cuDNN without an activation_mode");
  const std::string none =
      R"("activation_mode":"kNone","conv_result_scale":1,"side_input_scale":0)";
  EXPECT_EQ(answer(cudnn("__cudnn$convForward", "", none)), key);
  EXPECT_EQ(answer(cudnn("__cudnn$convForward", "", none, "s8")), "none: products of s8");
  EXPECT_EQ(answer(cudnn("__cudnn$convForward", ", %b", none)),
            "none: convolutions with further operands");
  EXPECT_EQ(answer(cudnn("__cudnn$convForwardGraph", ", %b", none)),
            "none: calls of __cudnn$convForwardGraph");
  EXPECT_THAT(jax::Program(cudnn("__cudnn$convReorderFilter", "", none)).parts("call"), IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
