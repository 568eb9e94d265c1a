#include "suites/tests/verify/planted_errors.h"

namespace benanza::verify {

const std::vector<PlantedError>& planted_errors() {
  using enum Precision;
  const std::vector<Precision> all{fp32, bf16, int8};
  const std::vector<Precision> floating{fp32, bf16};
  static const std::vector<PlantedError> errors{
      {"stride", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s2x2_d1x1_g1",
       "conv/1x8x8x8_k8x3x3_p2.2.2.2_s3x3_d1x1_g1", all},
      {"height and width swapped", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x2_d1x1_g1",
       "conv/1x8x8x8_k8x3x3_p1.1.1.1_s2x1_d1x1_g1", all},
      {"no bias", "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias",
       "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", all},
      {"no bias after a long sum", "conv/1x256x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias",
       "conv/1x256x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", all},
      {"begin and end pads swapped", "conv/1x8x8x8_k8x3x3_p1.1.0.0_s1x1_d1x1_g1",
       "conv/1x8x8x8_k8x3x3_p0.0.1.1_s1x1_d1x1_g1", all},
      {"no dilation", "conv/1x8x9x9_k8x3x3_p2.2.2.2_s1x1_d2x2_g1",
       "conv/1x8x9x9_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", all},
      {"1-D stride", "conv/1x8x16_k8x3_p1.1_s2_d1_g1", "conv/1x8x16_k8x3_p4.4_s3_d1_g1", all},
      {"depthwise pads", "conv/1x8x8x8_k8x3x3_p2.0.0.2_s1x1_d1x1_g8",
       "conv/1x8x8x8_k8x3x3_p0.2.2.0_s1x1_d1x1_g8", all},

      {"stride and dilation swapped", "deconv/1x8x5x5_k8x3x3_p0.0.0.0_s2x2_d1x1_g1",
       "deconv/1x8x5x5_k8x3x3_p0.0.0.0_s1x1_d3x3_g1", all},
      {"begin and end pads swapped", "deconv/1x8x5x5_k8x3x3_p1.1.0.0_s2x2_d1x1_g1",
       "deconv/1x8x5x5_k8x3x3_p0.0.1.1_s2x2_d1x1_g1", all},
      {"output padding at the beginning", "deconv/1x8x5_k8x3_p1.0_s2_d1_g1",
       "deconv/1x8x5_k8x3_p0.1_s2_d1_g1", all},
      {"no bias", "deconv/1x16x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_bias",
       "deconv/1x16x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1", all},

      {"the other direction", "lstm/t4_n2_i5_h6_l1_forward_bias",
       "lstm/t4_n2_i5_h6_l1_reverse_bias", floating},
      {"no initial state", "lstm/t4_n2_i5_h6_l1_forward_bias_initial",
       "lstm/t4_n2_i5_h6_l1_forward_bias", floating},
      {"another function", "rnntanh/t4_n2_i5_h6_l1_bidirectional_bias",
       "rnnrelu/t4_n2_i5_h6_l1_bidirectional_bias", floating},
      {"reset before the product", "gru/t4_n2_i5_h6_l1_forward_lbr_bias_initial",
       "gru/t4_n2_i5_h6_l1_forward_bias_initial", floating},
      {"reset after the product", "gru/t4_n2_i5_h6_l1_forward_initial",
       "gru/t4_n2_i5_h6_l1_forward_lbr_initial", floating},
      {"steps and batch swapped", "gru/t3_n3_i5_h6_l1_forward_lbr",
       "gru/t3_n3_i5_h6_l1_forward_lbr_batchfirst", floating},
      {"no initial state of a wide layer", "lstm/t8_n1_i256_h256_l1_forward_initial",
       "lstm/t8_n1_i256_h256_l1_forward", floating},

      {"transposition of b ignored", "gemm/m5_n7_k7_nt", "gemm/m5_n7_k7_nn", all},
      {"transposition of a ignored", "gemm/m7_n5_k7_tn", "gemm/m7_n5_k7_nn", all},
      {"weight not transposed", "gemm/m5_n7_k7_nt_w", "gemm/m5_n7_k7_nn_w", all},
      {"no bias", "gemm/m5_n9_k64_nt_w_bias", "gemm/m5_n9_k64_nt_w", all},
      {"no bias after a long sum", "gemm/m2_n8_k9216_nt_w_bias", "gemm/m2_n8_k9216_nt_w", all},
      {"operands swapped", "gemm/m6_n6_k6_nn", "gemm/m6_n6_k6_nn", all, true},
      {"wrong broadcast of a batch", "gemm/m2_n3_k4_nn_a2x1_b1x2", "gemm/m2_n3_k4_nn_a1x2_b2x1",
       all},

      {"no activation", "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu",
       "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias", all},
      {"no residual", "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_residual",
       "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias", all},
      {"no residual before an activation",
       "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_residual_relu",
       "conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_relu", all},
      {"no bias before an activation", "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu",
       "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_relu", all},
      {"not clipped", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8_bias_clip_a0_b6",
       "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8_bias_relu", floating},
      {"clipped", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8_bias_relu",
       "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8_bias_clip_a0_b6", floating},
      {"upper bound", "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_clip_a0_b6",
       "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_clip_a0_b5.5", floating},
      {"no slope", "conv/1x8x8x8_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_leakyrelu_a0.1",
       "conv/1x8x8x8_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_relu", all},
      {"slope", "deconv/1x16x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_bias_leakyrelu_a0.2",
       "deconv/1x16x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_bias_leakyrelu_a0.25", floating},
      {"another function", "conv/1x64x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_sigmoid",
       "conv/1x64x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_tanh", floating},
      {"alpha", "gemm/m5_n9_k64_nt_w_bias_elu_a1", "gemm/m5_n9_k64_nt_w_bias_elu_a0.9", floating},
      {"no activation", "gemm/m5_n9_k64_nt_w_bias_relu", "gemm/m5_n9_k64_nt_w_bias", all},
      {"no residual", "gemm/m5_n9_k64_nt_w_bias_residual", "gemm/m5_n9_k64_nt_w_bias", all},
      {"no residual after a long sum", "gemm/m4_n8_k9216_nt_w_residual", "gemm/m4_n8_k9216_nt_w",
       all},
      {"gelu by tanh", "gemm/m50_n9_k64_nt_w_bias_gelu", "gemm/m50_n9_k64_nt_w_bias_gelutanh"},
      {"no saturation", "gemm/m5_n9_k2048_nn_w_bias_tanh", "gemm/m5_n9_k2048_nn_w_bias", floating},

      {"average for maximum", "maxpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1",
       "avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_exclude", all},
      {"padding counted", "avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_exclude",
       "avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_include", all},
      {"padding not counted", "avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_include",
       "avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_exclude", all},
      {"height and width swapped", "maxpool/1x8x8x8_k3x2_p1.0.1.0_s1x2_d1x1",
       "maxpool/1x8x8x8_k2x3_p0.1.0.1_s2x1_d1x1", all},
      {"end pads first", "maxpool/1x8x8x8_k3x3_p0.0.1.1_s2x2_d1x1",
       "maxpool/1x8x8x8_k3x3_p1.1.0.0_s2x2_d1x1", all},

      {"epsilon", "batchnorm/1x8x5x5_e1e-05", "batchnorm/1x8x5x5_e0.001"},
      {"large epsilon", "batchnorm/1x8x5x5_e1e-05", "batchnorm/1x8x5x5_e1", all},

      {"not clipped", "clip/1x8x5x5_a0_b6", "relu/1x8x5x5", floating},
      {"clipped", "relu/1x8x5x5", "clip/1x8x5x5_a0_b6", floating},
      {"upper bound", "clip/1x8x5x5_a-1_b6", "clip/1x8x5x5_a-1_b5.5", floating},
      {"lower bound", "clip/1x8x5x5_a-1_b6", "clip/1x8x5x5_a0_b6", floating},
      {"no slope", "leakyrelu/1x8x5x5_a0.1", "relu/1x8x5x5", all},
      {"slope", "leakyrelu/1x8x5x5_a0.1", "leakyrelu/1x8x5x5_a0.11", floating},
      {"alpha", "elu/1x8x5x5_a1", "elu/1x8x5x5_a0.9", floating},
      {"another function", "sigmoid/1x8x5x5", "tanh/1x8x5x5", floating},
      {"no shift", "linear/1x8x5x5_a2_b3", "linear/1x8x5x5_a2_b0", all},

      {"the approximation", "gelu/1x8x5x5", "gelutanh/1x8x5x5"},
      {"another function", "swish/1x8x5x5_a1", "mish/1x8x5x5", floating},
      {"beta", "swish/1x8x5x5_a1.702", "swish/1x8x5x5_a1", floating},
      {"another function", "hardswish/1x8x5x5", "swish/1x8x5x5_a1", floating},
      {"exponent", "pow/1x8x5x5_a2", "pow/1x8x5x5_a3", floating},
      {"another function", "sqrt/1x8x5x5", "log/1x8x5x5", floating},
      {"equality turned round", "eq/2x4x4x4_2x4x4x4", "ne/2x4x4x4_2x4x4x4", floating},
      {"equality lost", "le/2x4x4x4_2x4x4x4", "lt/2x4x4x4_2x4x4x4", floating},
      {"operands swapped", "gt/2x4x4x4_2x4x4x4", "gt/2x4x4x4_2x4x4x4", floating, true},

      {"another function", "add/2x4x4x4_2x4x4x4", "sub/2x4x4x4_2x4x4x4", all},
      {"another function", "mul/2x4x4x4_2x4x4x4", "div/2x4x4x4_2x4x4x4", all},
      {"another function", "max/2x4x4x4_2x4x4x4", "min/2x4x4x4_2x4x4x4", all},
      {"operands swapped", "sub/2x4x4x4_2x4x4x4", "sub/2x4x4x4_2x4x4x4", all, true},
      {"operands swapped", "div/2x4x4x4_2x4x4x4", "div/2x4x4x4_2x4x4x4", all, true},
      {"broadcast along the wrong axis", "add/2x4x4x4_1x4x1x1_w", "add/2x4x4x4_1x1x4x1_w", all},
      {"slope along the wrong axis", "prelu/2x4x4x4_1x4x1x1_w", "prelu/2x4x4x4_1x1x4x1_w",
       floating},

      {"no scale", "attention/1x2x8x4_k2x8x4_s0.5", "attention/1x2x8x4_k2x8x4_s1", floating},
      {"no causal mask", "attention/1x2x8x4_k2x8x4_s0.5_causal", "attention/1x2x8x4_k2x8x4_s0.5",
       floating},
      {"wrong axis", "softmax/8x8_a1", "softmax/8x8_a0", floating},
      {"logarithm", "softmax/8x8_a1", "logsoftmax/8x8_a1", floating},
      {"no logarithm", "logsoftmax/8x8_a1", "softmax/8x8_a1", floating},

      {"size", "lrn/1x16x5x5_n5_a1e-04_b0.75_k1", "lrn/1x16x5x5_n3_a1e-04_b0.75_k1", floating},
      {"alpha", "lrn/1x16x5x5_n5_a1e-04_b0.75_k1", "lrn/1x16x5x5_n5_a2e-04_b0.75_k1", floating},
      {"alpha not divided by the size", "lrn/1x16x5x5_n5_a1e-04_b0.75_k1",
       "lrn/1x16x5x5_n5_a5e-04_b0.75_k1", floating},
      {"beta", "lrn/1x16x5x5_n5_a1e-04_b0.75_k1", "lrn/1x16x5x5_n5_a1e-04_b0.5_k1", floating},
      {"k", "lrn/1x16x5x5_n5_a1e-04_b0.75_k2", "lrn/1x16x5x5_n5_a1e-04_b0.75_k1", floating},

      {"sum for mean", "reducemean/1x8x7x7_a2.3", "reducesum/1x8x7x7_a2.3", floating},
      {"sum for maximum", "reducemax/1x8x7x7_a2.3", "reducesum/1x8x7x7_a2.3", all},
      {"wrong axis", "reducesum/8x8_a0", "reducesum/8x8_a1", all},

      {"not squared", "reducesumsquare/8x8_a1", "reducesum/8x8_a1", floating},
      {"no root", "reducel2/8x8_a1", "reducesumsquare/8x8_a1", floating},
      {"maximum for minimum", "reducemin/8x8_a1", "reducemax/8x8_a1", all},

      {"epsilon", "layernorm/8x16_e1e-05_sb", "layernorm/8x16_e0.01_sb"},
      {"no bias", "layernorm/8x16_e1e-05_sb", "layernorm/8x16_e1e-05_s", floating},
      {"neither scale nor bias", "layernorm/8x16_e1e-05_sb", "layernorm/8x16_e1e-05", floating},
      {"rows and their length swapped", "layernorm/8x8_e1e-05", "instancenorm/1x1x64_e1e-05",
       floating},

      {"normalized over the batch", "instancenorm/2x4x8_e1e-05", "instancenorm/1x4x16_e1e-05",
       floating},
      {"neither scale nor bias", "instancenorm/2x4x3x3_e1e-05_sb", "instancenorm/2x4x3x3_e1e-05",
       floating},

      {"nearest for linear", "resample/1x8x4x4_o8x8_linear", "resample/1x8x4x4_o8x8_nearest", all},
      {"height and width swapped", "resample/1x8x4x4_o8x2_linear", "resample/1x8x4x4_o2x8_linear",
       all},

      {"not scaled down", "dequantize/4x8", "linear/4x8_a1_b0", floating},
      {"not scaled", "quantize/4x8", "linear/4x8_a1_b0", floating},

      {"wrong axis", "concat/2x2x4x4_2x2x4x4_a1", "concat/2x2x4x4_2x2x4x4_a0", all},
      {"operands swapped", "concat/1x3x4x4_1x3x4x4_a1", "concat/1x3x4x4_1x3x4x4_a1", all, true},

      {"scale", "dropout/1000_r0.5", "dropout/1000_r0.4", floating},
      {"nothing dropped", "dropout/1000_r0.5", "linear/1000_a2_b0", floating},
      {"slightly another ratio", "dropout/100000_r0.25", "dropout/100000_r0.249", {fp32}},

      {"not transposed", "copy/4x4_f4.1_t1.4", "copy/16_f1_t1", all},
      {"wrong stride of the source", "copy/3x4_f8.2_t4.1", "copy/3x4_f2.6_t4.1", all},
  };
  return errors;
}

Mistaken::Mistaken(const PlantedError& error, std::unique_ptr<harness::Primitive> inner)
    : operand_count_(inputs(parse(error.mistaken)).size()),
      swapped_(error.swapped),
      inner_(std::move(inner)) {}

void Mistaken::upload(std::size_t index, std::span<const float> values) {
  if (index >= operand_count_) return;
  inner_->upload(swapped_ && index < 2 ? 1 - index : index, values);
}

}  // namespace benanza::verify
