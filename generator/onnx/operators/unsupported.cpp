#include <onnx/onnx_pb.h>

#include "generator/onnx/operators/shared/operator.h"

/// Operators registered only with the reason why no library call does their work.
namespace benanza::onnx {
namespace {

struct Reason {
  const char* op;
  const char* text;
};

constexpr Reason reasons[] = {
    {"Det", "no library here has determinants"},
    {"NegativeLogLikelihoodLoss", "a loss, which only training needs"},
    {"SoftmaxCrossEntropyLoss", "a loss, which only training needs"},
    {"ImageDecoder", "no library here reads compressed images"},
    {"OptionalGetElement", "a tensor that may be missing, whose shape is not followed"},
    {"OptionalHasElement", "a tensor that may be missing, whose shape is not followed"},
    {"TfIdfVectorizer", "no library here counts words"},
    {"StringNormalizer", "no library here works on text"},
    {"StringConcat", "no library here works on text"},
    {"StringSplit", "no library here works on text"},
    {"com.microsoft.AttnLSTM", "no library here has a recurrence with an attention in each step"},
    {"com.microsoft.BifurcationDetector", "no library here compares proposed tokens"},
    {"com.microsoft.DequantizeBFP", "no library here has floats that share an exponent"},
    {"com.microsoft.DynamicTimeWarping", "no library here aligns sequences"},
    {"com.microsoft.EPContext", "a part of the model that is compiled for one device"},
    {"com.microsoft.MoEGroupRouter", "no library here picks experts by groups"},
    {"com.microsoft.NGramHashMapping", "no library here has hashes"},
    {"com.microsoft.PackedSparseAttentionIndexer", "no library here picks keys for an attention"},
    {"com.microsoft.QuantizeBFP", "no library here has floats that share an exponent"},
    {"com.microsoft.Snpe", "a part of the model that is compiled for one device"},
    {"com.microsoft.SparseAttentionIndexer", "no library here picks keys for an attention"},
    {"com.microsoft.Tokenizer", "no library here works on text"},
    {"com.microsoft.Unique", "no library here finds equal elements"},
    {"com.microsoft.VarlenNGramHashMapping", "no library here has hashes"},
};

std::vector<TensorFacts> truth_like_first(const NodeView& node) {
  return {{::onnx::TensorProto::BOOL, node.shape(0)}};
}

}  // namespace

void register_unsupported(OperatorTable& table) {
  table.add("RegexFullMatch",
            {.shapes = {{truth_like_first}}, .unsupported = "no library here works on text"});
  for (const Reason& reason : reasons) table.add(reason.op, {.unsupported = reason.text});
}

}  // namespace benanza::onnx
