#include <onnx/onnx_pb.h>

#include "generator/onnx/operators/shared/operator.h"

/// ONNX Runtime's searches for sequences of tokens, which run a model of their own as often as they
/// decide.
namespace benanza::onnx {
namespace {

/// Prompts (sequences, ...), and the largest length: as many rows as can be, of `each` for each
/// prompt.
Dims sequences(const NodeView& node, const Dims& each) {
  Dims dims{node.shape(0).at(0)};
  dims.insert(dims.end(), each.begin(), each.end());
  dims.push_back(static_cast<std::int64_t>(node.scalar(1, 0)));
  return dims;
}

std::vector<TensorFacts> greedy_shape(const NodeView& node) {
  return {{::onnx::TensorProto::INT32, sequences(node, {})}};
}

/// Input 4: how many sequences of a prompt it hands out, each with a score.
std::vector<TensorFacts> beam_shape(const NodeView& node) {
  const auto each = static_cast<std::int64_t>(node.scalar(4, 1));
  return {{::onnx::TensorProto::INT32, sequences(node, {each})},
          {::onnx::TensorProto::FLOAT, Dims{node.shape(0).at(0), each}}};
}

}  // namespace

void register_token_search(OperatorTable& table) {
  constexpr std::string_view reason = "it runs a whole model as often as it decides";
  for (const auto* op : {"BeamSearch", "WhisperBeamSearch"}) {
    table.add(std::string("com.microsoft.") + op,
              {.shapes = {{beam_shape}}, .unsupported = reason});
  }
  for (const auto* op : {"GreedySearch", "Sampling"}) {
    table.add(std::string("com.microsoft.") + op,
              {.shapes = {{greedy_shape}}, .unsupported = reason});
  }
}

}  // namespace benanza::onnx
