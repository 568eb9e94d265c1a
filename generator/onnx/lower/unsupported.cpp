#include "generator/onnx/lowering.h"

/// Operators for which no library here has a call, each with its reason.
namespace benanza::onnx::lower {
namespace {

struct Reason {
  const char* op;
  const char* text;
};

constexpr Reason reasons[] = {
    {"Where", "no library here selects by a condition"},
    {"ArgMax", "no library here gives the position of a maximum"},
    {"ArgMin", "no library here gives the position of a minimum"},
    {"TopK", "no library here sorts"},
    {"CumSum", "no library here has running sums"},
    {"CumProd", "no library here has running products"},
    {"Trilu", "no library here clears one side of a diagonal"},
    {"OneHot", "no library here places values by indices alone"},
    {"Hardmax", "no library here gives the position of a maximum"},
    {"NonZero", "how much it finds is only known when the model runs"},
    {"NonMaxSuppression", "how much it keeps is only known when the model runs"},
    {"Unique", "how much it keeps is only known when the model runs"},
    {"Compress", "how much it keeps is only known when the model runs"},
    {"RoiAlign", "no library here pools regions"},
    {"MaxRoiPool", "no library here pools regions"},
    {"GridSample", "no library here samples at arbitrary points"},
    {"AffineGrid", "no library here makes sampling grids"},
    {"DeformConv", "no library here has deformable convolution"},
    {"Col2Im", "no library here adds overlapping blocks"},
    {"STFT", "no library here has Fourier transforms"},
    {"DFT", "no library here has Fourier transforms"},
    {"Det", "no library here has determinants"},
    {"ReverseSequence", "no library here copies backwards"},
    {"MaxUnpool", "no library here places values by the positions of maxima"},
    {"IsInf", "no library here tests for numbers"},
    {"And", "no library here has logic of truth values"},
    {"Or", "no library here has logic of truth values"},
    {"Xor", "no library here has logic of truth values"},
    {"Not", "no library here has logic of truth values"},
    {"Range", "how many there are is only known when the model runs"},
    {"ThresholdedRelu", "no library here clears what is below a threshold"},
    {"Shrink", "no library here clears what is near zero"},
    {"Tan", "no library here has tangents"},
    {"Asin", "no library here has inverse trigonometric functions"},
    {"Acos", "no library here has inverse trigonometric functions"},
    {"Atan", "no library here has inverse trigonometric functions"},
    {"Sinh", "no library here has this hyperbolic function"},
    {"Cosh", "no library here has this hyperbolic function"},
    {"Asinh", "no library here has inverse hyperbolic functions"},
    {"Acosh", "no library here has inverse hyperbolic functions"},
    {"Atanh", "no library here has inverse hyperbolic functions"},
    {"LpPool", "no library here pools by norms"},
    {"CenterCropPad", "no library here crops some axes and pads others in one call"},
    {"BitShift", "no library here has arithmetic of bits"},
    {"BitwiseAnd", "no library here has arithmetic of bits"},
    {"BitwiseOr", "no library here has arithmetic of bits"},
    {"BitwiseXor", "no library here has arithmetic of bits"},
    {"BitwiseNot", "no library here has arithmetic of bits"},
    {"HannWindow", "no library here makes windows of signals"},
    {"HammingWindow", "no library here makes windows of signals"},
    {"BlackmanWindow", "no library here makes windows of signals"},
    {"MelWeightMatrix", "no library here makes bands of spectra"},
    {"LinearAttention", "no library here has attention that carries a state"},
    {"CausalConvWithState", "no library here has convolutions that carry a state"},
    {"NegativeLogLikelihoodLoss", "a loss, which only training needs"},
    {"SoftmaxCrossEntropyLoss", "a loss, which only training needs"},
    {"ImageDecoder", "no library here reads compressed images"},
    {"Optional", "a tensor that may be missing, whose shape is not followed"},
    {"OptionalGetElement", "a tensor that may be missing, whose shape is not followed"},
    {"OptionalHasElement", "a tensor that may be missing, whose shape is not followed"},
    {"TfIdfVectorizer", "no library here counts words"},
    {"StringNormalizer", "no library here works on text"},
    {"StringConcat", "no library here works on text"},
    {"StringSplit", "no library here works on text"},
    {"RegexFullMatch", "no library here works on text"},
    {"EyeLike", "no library here makes an identity matrix"},
    {"Mod", "no library here has remainders"},
    {"RotaryEmbedding", "no library here rotates pairs of elements in one call"},
    {"DynamicQuantizeLinear", "the scale is only known when the model runs"},
    {"RandomNormal", "no library here makes the framework's random numbers"},
    {"RandomNormalLike", "no library here makes the framework's random numbers"},
    {"RandomUniform", "no library here makes the framework's random numbers"},
    {"RandomUniformLike", "no library here makes the framework's random numbers"},
    {"Bernoulli", "no library here makes the framework's random numbers"},
    {"Multinomial", "no library here makes the framework's random numbers"},
    {"SequenceConstruct", "no library here works on sequences of tensors"},
    {"SequenceEmpty", "no library here works on sequences of tensors"},
    {"SequenceInsert", "no library here works on sequences of tensors"},
    {"SequenceErase", "no library here works on sequences of tensors"},
    {"SequenceAt", "no library here works on sequences of tensors"},
    {"SequenceLength", "no library here works on sequences of tensors"},
    {"SplitToSequence", "no library here works on sequences of tensors"},
    {"ConcatFromSequence", "no library here works on sequences of tensors"},
    {"com.microsoft.EmbedLayerNormalization",
     "no library here looks embeddings up and normalizes their sum in one call"},
    {"com.microsoft.RotaryEmbedding", "no library here rotates pairs of elements in one call"},
    {"com.microsoft.MatMulNBits", "no library here multiplies by weights of 4 bits in blocks"},
    {"com.microsoft.DynamicQuantizeMatMul", "the scale is only known when the model runs"},
    {"com.microsoft.DynamicQuantizeLSTM", "the scale is only known when the model runs"},
    {"com.microsoft.GroupNorm", "no library here normalizes groups with channels innermost"},
    {"com.microsoft.BiasSplitGelu", "no library here multiplies one half by the gelu of the other"},
    {"com.microsoft.QLinearAdd", "no library here combines bytes of two scales in one call"},
    {"com.microsoft.QLinearMul", "no library here combines bytes of two scales in one call"},
    {"com.microsoft.QLinearConcat", "no library here joins bytes of several scales"},
    {"com.microsoft.QLinearAveragePool", "no library here gives averages of bytes another scale"},
    {"com.microsoft.QLinearGlobalAveragePool",
     "no library here gives averages of bytes another scale"},
    {"com.microsoft.QLinearSigmoid", "no library here has tables of functions of bytes"},
    {"com.microsoft.QLinearLeakyRelu", "no library here has tables of functions of bytes"},
    {"com.microsoft.QLinearSoftmax", "no library here has a softmax of bytes"},
    {"com.microsoft.MoE", "which expert works is only known when the model runs"},
    {"com.microsoft.QMoE", "which expert works is only known when the model runs"},
    {"com.microsoft.BeamSearch", "it runs a whole model as often as it decides"},
    {"com.microsoft.GreedySearch", "it runs a whole model as often as it decides"},
};

Lowered refuse(const Site& site) {
  const std::string op = site.node().full_type();
  for (const Reason& reason : reasons) {
    if (op == reason.op) throw NotExpressible(reason.text);
  }
  throw NotExpressible("no lowering for " + op);
}

}  // namespace

void register_unsupported(LoweringTable& table) {
  for (const Reason& reason : reasons) table.add(reason.op, refuse);
}

}  // namespace benanza::onnx::lower
