#pragma once

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "suites/tests/random/definitions.h"

namespace benanza::definitions {

/// A node, its inputs and the opset.
struct NodeCall {
  const ::onnx::NodeProto& node;
  std::vector<const Tensor*> inputs;
  int opset;

  const Tensor& input(std::size_t index) const {
    if (!has(index)) throw std::invalid_argument(node.op_type() + " misses an input");
    return *inputs[index];
  }
  bool has(std::size_t index) const { return index < inputs.size() && inputs[index] != nullptr; }
  const ::onnx::AttributeProto* find(const std::string& name) const {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }
  std::int64_t integer(const std::string& name, std::int64_t fallback) const {
    const auto* found = find(name);
    return found == nullptr ? fallback : found->i();
  }
  double real(const std::string& name, double fallback) const {
    const auto* found = find(name);
    return found == nullptr ? fallback : static_cast<double>(found->f());
  }
  /// An attribute, or from some opset on input `index`.
  std::optional<Dims> integers(const std::string& name, std::size_t index) const {
    if (const auto* found = find(name)) return Dims(found->ints().begin(), found->ints().end());
    if (!has(index)) return std::nullopt;
    return Dims(input(index).values.begin(), input(index).values.end());
  }
};

using Function = Tensor (*)(const NodeCall&);
using Functions = std::map<std::string, Function>;

void add_elementwise(Functions& table);
void add_sums(Functions& table);
void add_moves(Functions& table);

/// A tensor whose element at each index is given by a function.
template <class Element>
Tensor made(const Dims& dims, Element element) {
  Tensor result{dims, {}};
  result.values.reserve(static_cast<std::size_t>(count(dims)));
  if (count(dims) == 0) return result;
  Dims index(dims.size(), 0);
  do {
    result.values.push_back(static_cast<double>(element(std::as_const(index))));
  } while (advance(index, dims));
  return result;
}

inline std::int64_t from_front(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

inline Dims joined(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  for (const Dims* own : {&a, &b}) {
    for (std::size_t axis = 0; axis < own->size(); ++axis) {
      std::int64_t& extent = dims[dims.size() - own->size() + axis];
      if ((*own)[axis] != 1) extent = (*own)[axis];
    }
  }
  return dims;
}

}  // namespace benanza::definitions
