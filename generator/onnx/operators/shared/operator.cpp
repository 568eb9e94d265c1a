#include "generator/onnx/operators/shared/operator.h"

#include <stdexcept>

#include "core/base/error.h"
#include "generator/onnx/read/composition.h"

namespace benanza::onnx {

void OperatorTable::add(std::string full_type, Operator known) {
  const auto [entry, added] = operators_.emplace(std::move(full_type), std::move(known));
  if (!added) throw std::logic_error(entry->first + " is registered twice");
}

const Operator* OperatorTable::find(std::string_view full_type) const {
  const auto found = operators_.find(full_type);
  return found == operators_.end() ? nullptr : &found->second;
}

ShapeFunction OperatorTable::shape_function(const Node& node) const {
  const Operator* known = find(node.full_type());
  if (known == nullptr) return nullptr;
  for (const ShapeRule& rule : known->shapes) {
    if (rule.since <= node.opset() && node.opset() <= rule.until) return rule.function;
  }
  return nullptr;
}

std::vector<Composition> compositions(const OperatorTable& operators) {
  std::vector<Composition> found;
  for (const auto& [name, known] : operators.operators()) {
    if (known.compose != nullptr) found.push_back(known.compose());
  }
  return found;
}

std::vector<TensorFacts> like_first(const NodeView& node) {
  return {{node.input(0).type, node.input(0).shape}};
}

void check_weights(const NodeView& node, std::size_t place) {
  const auto rank = node.rank(0);
  const auto weights = node.rank(place);
  if (rank && *rank < 3) {
    throw Error("has an input of " + std::to_string(*rank) + " axes, but takes 3 and more");
  }
  if (rank && weights && *rank != *weights) {
    throw Error("has weights of " + std::to_string(*weights) + " axes for an input of " +
                std::to_string(*rank));
  }
}

}  // namespace benanza::onnx
