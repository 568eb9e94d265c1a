#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// Throws Error where the node would lead the installed schema's inference astray: inputs of shapes
/// that it does not expect and reads past.
using CheckFunction = void (*)(const NodeView&);

/// Element type and, where it is known, shape of an output; type 0 where unknown.
struct TensorFacts {
  int type = 0;
  std::optional<Dims> shape = {};
};

/// Facts of the outputs; may be shorter than the node's list. The outputs of the node are not known
/// yet. Throws NotExpressible if they cannot be told, Error if the node makes no sense.
using ShapeFunction = std::vector<TensorFacts> (*)(const NodeView&);

/// Goes before the installed schemas of versions `since` to `until` of the operator's domain: of
/// operators that they do not describe, or wrongly.
struct ShapeRule {
  ShapeFunction function;
  int since = 1;
  int until = std::numeric_limits<int>::max();
};

/// An output of which some extents are only known when the model runs.
struct MaxShape {
  int type = 0;
  /// Where the data decide, as much as there can be.
  Dims shape = {};
  /// Axes whose extent the data decide.
  std::vector<std::size_t> open = {};
};

/// The largest outputs of an operator that selects by the data; one per output, empty where there
/// is no limit or it is not known; may be shorter than the node's list. The outputs of the node are
/// not known yet. May throw NotExpressible if there is no limit for any.
using MaxShapesFunction = std::vector<std::optional<MaxShape>> (*)(const NodeView&);

/// Values of every output of a node whose output shapes are known; empty if they cannot be told.
using FoldFunction = std::vector<Literal> (*)(const NodeView&);

/// The inputs' values, or their shapes alone, must be known before the outputs can be computed.
enum class FoldNeeds { values, shapes };

/// Who makes sure that a measured node's operands are of a type that its calls know.
enum class Types { floating_only, checked_by_lowering };

/// The lowering of a node: LoweredLayer::cost, reason and calls.
struct Lowered {
  Cost cost = Cost::unsupported;
  std::string reason;
  std::vector<Call> calls;
  Types types = Types::floating_only;
  /// LoweredLayer::whole.
  std::optional<Problem> whole = {};
};

/// Throws NotExpressible with the reason where no library call does what the node asks; Error where
/// the node makes no sense.
using LowerFunction = Lowered (*)(const NodeView&);

/// All that is known of an ONNX operator; empty where there is nothing to know.
struct Operator {
  CheckFunction check = nullptr;
  /// The schema's inference reads the shapes of all inputs without asking whether they are known.
  bool schema_needs_shapes = false;
  std::vector<ShapeRule> shapes = {};
  MaxShapesFunction max_shapes = nullptr;
  /// Its results differ from run to run.
  bool random = false;
  FoldFunction fold = nullptr;
  FoldNeeds fold_needs = FoldNeeds::values;
  LowerFunction lower = nullptr;
  /// Instead of `lower`: why no library call does its work.
  std::string_view unsupported = {};
};

/// The operators by Node::full_type(). Every operators/X.cpp adds its own in
/// `void register_X(OperatorTable&)`; CMake collects the files.
class OperatorTable {
 public:
  /// Throws std::logic_error if the operator is there already: it belongs into one file.
  void add(std::string full_type, Operator known);
  /// Null if nothing is known of the operator.
  const Operator* find(std::string_view full_type) const;
  /// Null if the schemas know better.
  ShapeFunction shape_function(const Node& node) const;
  const std::map<std::string, Operator, std::less<>>& operators() const { return operators_; }

 private:
  std::map<std::string, Operator, std::less<>> operators_;
};

OperatorTable make_operator_table();

/// The only output, or every one, is like the first input.
std::vector<TensorFacts> like_first(const NodeView& node);
/// The first schemas, up to opset 5, infer nothing of operators that make what their first input
/// is; broadcasting, which may widen it, came with opset 7.
inline constexpr ShapeRule like_first_until_5{like_first, 1, 5};

/// Check of a convolution's weights, input `place`: as many axes as what they slide over, and at
/// least one to slide along.
void check_weights(const NodeView& node, std::size_t place);
template <std::size_t place>
void check_convolution_weights(const NodeView& node) {
  check_weights(node, place);
}

inline Lowered measured(std::vector<Call> calls) {
  return {Cost::measured, "", std::move(calls), Types::floating_only};
}
inline Lowered movement(std::vector<Call> calls) {
  return {Cost::movement, "", std::move(calls), Types::floating_only};
}
inline Lowered free_layer(std::string reason) {
  return {Cost::free, std::move(reason), {}, Types::floating_only};
}

}  // namespace benanza::onnx
