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
    {"Optional", "a tensor that may be missing, whose shape is not followed"},
    {"OptionalGetElement", "a tensor that may be missing, whose shape is not followed"},
    {"OptionalHasElement", "a tensor that may be missing, whose shape is not followed"},
    {"TfIdfVectorizer", "no library here counts words"},
    {"StringNormalizer", "no library here works on text"},
    {"StringConcat", "no library here works on text"},
    {"StringSplit", "no library here works on text"},
    {"RegexFullMatch", "no library here works on text"},
};

}  // namespace

void register_unsupported(OperatorTable& table) {
  for (const Reason& reason : reasons) table.add(reason.op, {.unsupported = reason.text});
}

}  // namespace benanza::onnx
