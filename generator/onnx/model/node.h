#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/problem/text.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace benanza::onnx {

/// Whether the operator is a recurrent network, whose input has the steps before the batch.
inline bool is_recurrent(std::string_view op) {
  return op == "LSTM" || op == "GRU" || op == "RNN" || op == "DynamicQuantizeLSTM";
}

/// A node of a model: its identity and its attributes. Refers to the model, which must outlive it.
/// Reading an attribute as a type other than its own throws Error.
class Node {
 public:
  /// `opset`: the version of the node's domain that the model imports.
  Node(const ::onnx::NodeProto& proto, std::string name, int opset);

  const ::onnx::NodeProto& proto() const { return *proto_; }
  /// Unique in the model, never empty.
  const std::string& name() const { return name_; }
  const std::string& op_type() const;
  /// Empty for the standard operators.
  const std::string& domain() const { return domain_; }
  int opset() const { return opset_; }
  /// "domain.OpType", or "OpType" for the standard operators.
  std::string full_type() const;

  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  float real(std::string_view name, float fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  std::optional<Dims> integers(std::string_view name) const;
  std::optional<std::vector<float>> reals(std::string_view name) const;
  std::optional<std::vector<std::string>> texts(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const ::onnx::AttributeProto* find(std::string_view name) const;
  /// Whether an attribute is a graph (If, Loop, Scan).
  bool has_subgraph() const;

 private:
  const ::onnx::AttributeProto* find(std::string_view name, int type) const;
  const ::onnx::NodeProto* proto_;
  std::string name_;
  std::string domain_;
  int opset_;
};

/// Returns "" for "ai.onnx", which is the same domain, and every other domain unchanged.
std::string canonical_domain(const std::string& domain);

/// `domain` as a node states it whose function imports another version of it than the model.
std::string versioned_domain(const std::string& domain, std::int64_t version);

/// The version of the node's domain: its own (versioned_domain()) or that in `imports`, by
/// canonical domain; empty if there is neither.
std::optional<int> opset_of(const ::onnx::NodeProto& node,
                            const std::unordered_map<std::string, int>& imports);

}  // namespace benanza::onnx
