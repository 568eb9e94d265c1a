#pragma once

#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/model/node.h"
#include "generator/onnx/model/tensor.h"

namespace benanza::onnx {

/// Thrown if a node cannot be expressed here: its layer becomes `unsupported`, its outputs are not
/// folded. The message is the reason, without the node's name.
class NotExpressible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown for inputs, outputs or attributes that the operator's description does not have.
class DescriptionError : public Error {
 public:
  using Error::Error;
};

/// Thrown for a flag of the user's that does not fit a node: it ends the model.
class FlagError : public Error {
 public:
  using Error::Error;
};

/// The message of what reading a node throws, for people: also of an access beyond the axes that a
/// tensor has.
inline std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::out_of_range*>(&error) == nullptr) return error.what();
  return "an input or attribute has fewer axes or elements than it needs";
}

/// What was asked about a node.
struct Asked {
  std::set<std::string, std::less<>> attributes;
  std::set<std::size_t> inputs;
};

/// A node with its tensors. Omitted optional inputs and unread outputs are null. Keeps account of
/// the attributes and inputs that it was asked for: who turns a node into a problem answers for the
/// others (accounts.h).
class NodeView {
 public:
  NodeView(const Node& node, std::vector<const Tensor*> inputs, std::vector<const Tensor*> outputs)
      : node_(&node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  /// What is read of it here leaves no trace in asked().
  const Node& node() const { return *node_; }
  /// Identity and attributes: see Node.
  const std::string& op_type() const { return node_->op_type(); }
  std::string full_type() const { return node_->full_type(); }
  int opset() const { return node_->opset(); }
  bool has(std::string_view name) const { return asking(name).has(name); }
  const ::onnx::AttributeProto* find(std::string_view name) const {
    return asking(name).find(name);
  }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const {
    return asking(name).integer(name, fallback);
  }
  bool flag(std::string_view name, bool fallback = false) const {
    return integer(name, fallback ? 1 : 0) != 0;
  }
  float real(std::string_view name, float fallback) const {
    return asking(name).real(name, fallback);
  }
  std::string text(std::string_view name, std::string_view fallback) const {
    return asking(name).text(name, fallback);
  }
  std::optional<Dims> integers(std::string_view name) const { return asking(name).integers(name); }
  std::optional<std::vector<float>> reals(std::string_view name) const {
    return asking(name).reals(name);
  }
  std::optional<std::vector<std::string>> texts(std::string_view name) const {
    return asking(name).texts(name);
  }
  const Asked& asked() const { return asked_; }

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  bool has_input(std::size_t index) const;
  bool has_output(std::size_t index) const;
  /// Throws Error if the node has no such input or output.
  const Tensor& input(std::size_t index) const;
  const Tensor& output(std::size_t index) const;
  /// Extents of an input; throws NotExpressible if they are unknown.
  const Dims& shape(std::size_t index) const;
  const Dims& output_shape(std::size_t index) const;
  /// Number of axes of an input; empty if it is omitted or its shape is unknown.
  std::optional<std::size_t> rank(std::size_t index) const;
  /// Number of elements of an input; throws NotExpressible if its shape is unknown or they are too
  /// many for a tensor.
  std::int64_t elements(std::size_t index) const;
  /// As shape(), but {1} for a scalar.
  Dims extents(std::size_t index) const;

  /// Values of a constant input; throws NotExpressible if they are not known before the model runs.
  const Literal& literal(std::size_t index) const;
  /// As literal(), but throws Error if the values are not integers.
  Dims integers(std::size_t index) const;
  /// First value of a constant input; `fallback` if the input is omitted. Throws NotExpressible if
  /// it is NaN or not known before the model runs.
  double scalar(std::size_t index, double fallback) const;

  /// An argument that is attribute `name` in older opsets and input `index` in newer ones. Empty if
  /// the node has neither. Throws NotExpressible if the input is not known before the model runs.
  std::optional<Dims> argument(std::string_view name, std::size_t index) const;

  /// `axis` counted from the front; throws Error if it is not one of `rank` axes.
  static std::int64_t axis(std::int64_t axis, std::size_t rank);

 private:
  const Node& asking(std::string_view name) const {
    asked_.attributes.emplace(name);
    return *node_;
  }

  const Node* node_;
  std::vector<const Tensor*> inputs_;
  std::vector<const Tensor*> outputs_;
  mutable Asked asked_;
};

// Models may contain any numbers: arithmetic that overflows throws NotExpressible.

inline std::int64_t checked(bool overflows, std::int64_t result) {
  if (overflows) throw NotExpressible("a value that no integer holds");
  return result;
}

inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_add_overflow(a, b, &result);
  return checked(overflows, result);
}

inline std::int64_t checked_difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_sub_overflow(a, b, &result);
  return checked(overflows, result);
}

inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &result);
  return checked(overflows, result);
}

/// `value` truncated towards zero.
inline std::int64_t whole(double value) {
  const bool fits = std::abs(value) < 0x1p63;
  return checked(!fits, fits ? static_cast<std::int64_t>(value) : 0);
}

}  // namespace benanza::onnx
