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

/// Throws Error if the installed schema's inference cannot handle the node, for example because it
/// would read past the end of an unexpected shape.
using CheckFunction = void (*)(const NodeView&);

/// Element type (0 if unknown) and shape, if known, of an output.
struct TensorFacts {
  int type = 0;
  std::optional<Dims> shape = {};
};

/// Infers the outputs; the result may be shorter than the node's list of outputs. Sees the inputs
/// only. Throws NotExpressible if the outputs cannot be inferred, Error if the node is invalid.
using ShapeFunction = std::vector<TensorFacts> (*)(const NodeView&);

/// Replaces the installed schemas of versions `since` to `until` of the operator's domain if they
/// do not describe the operator, or describe it wrongly.
struct ShapeRule {
  ShapeFunction function;
  int since = 1;
  int until = std::numeric_limits<int>::max();
};

/// An output with data-dependent extents.
struct MaxShape {
  int type = 0;
  /// Data-dependent extents are at their maximum.
  Dims shape = {};
  /// Axes with data-dependent extents.
  std::vector<std::size_t> open = {};
};

/// Maximum shapes of an operator's data-dependent outputs: one per output, empty if there is no
/// limit or it is unknown; may be shorter than the node's list of outputs. Sees the inputs only.
/// May throw NotExpressible if no output has a limit.
using MaxShapesFunction = std::vector<std::optional<MaxShape>> (*)(const NodeView&);

/// Computes the values of all outputs of a node whose output shapes are known; empty if it cannot.
using FoldFunction = std::vector<Literal> (*)(const NodeView&);

/// What constant folding needs: the values of all inputs, of the first one only, or the shapes of
/// all inputs.
enum class FoldNeeds { values, first_value, shapes };

/// How a measured node's types are checked: floating-point only, or by the lowering itself.
enum class Types { floating_only, checked_by_lowering };

/// The lowering of a node: LoweredLayer::cost, reason and calls.
struct Lowered {
  Cost cost = Cost::unsupported;
  std::string reason;
  std::vector<Call> calls;
  Types types = Types::floating_only;
  /// LoweredLayer::whole.
  std::optional<Problem> whole = {};
  /// Layer::precision: "int8" if the calls read and write bytes.
  std::string precision = {};
  /// Of an unsupported layer: bytes that it must move, floats as fp32, if fewer than its inputs and
  /// outputs have.
  std::optional<double> least_bytes = {};
  /// Layer::compulsory.
  std::optional<Compulsory> compulsory = {};
  /// LoweredLayer::reads_whole.
  std::vector<std::size_t> reads_whole = {};
  /// LoweredLayer::unwritten.
  std::vector<std::size_t> unwritten = {};
  /// LoweredLayer::taken.
  std::vector<TakenInput> taken = {};
};

/// Throws NotExpressible with the reason if no library call does what the node needs, Error if the
/// node is invalid.
using LowerFunction = Lowered (*)(const NodeView&);

/// The inputs that a node reads in part. Throws NotExpressible if the parts are unknown.
using PartsFunction = std::vector<PartRead> (*)(const NodeView&);

struct Composition;
using ComposeFunction = Composition (*)();

/// Bytes that a node must move at least, floats as fp32. Throws NotExpressible if they are unknown.
using BytesFunction = double (*)(const NodeView&);

/// Places among a node's inputs or outputs.
using PlacesFunction = std::vector<std::size_t> (*)(const NodeView&);

/// What is known about an ONNX operator; members that do not apply stay empty.
struct Operator {
  CheckFunction check = nullptr;
  std::vector<ShapeRule> shapes = {};
  MaxShapesFunction max_shapes = nullptr;
  /// Its results differ from run to run.
  bool random = false;
  FoldFunction fold = nullptr;
  FoldNeeds fold_needs = FoldNeeds::values;
  LowerFunction lower = nullptr;
  /// Of an operator that looks rows up in tables.
  PartsFunction parts = nullptr;
  /// Where no library call does its work, if that is less than all inputs and outputs.
  BytesFunction least_bytes = nullptr;
  /// What it is replaced by before inference (composition.h), for operators whose parts run at
  /// different precisions: a layer has one.
  ComposeFunction compose = nullptr;
  /// Set instead of `lower`: why no library call does its work.
  std::string_view unsupported = {};
  /// Of integers, for which no library has the call, it stands for a copy of the result
  /// (lower_node()).
  bool copies_integers = false;
  /// Where no library call does its work: every run reads all of its constants, which are part of
  /// the least traffic.
  bool reads_all_constants = false;
  /// The same of inputs that it reads, and outputs that it writes, from the first element to the
  /// last; they may be among those that the node omits.
  PlacesFunction reads_whole = nullptr;
  PlacesFunction writes_whole = nullptr;
  /// What a measured node may have although `lower` does not ask for it (accounts.h): the calls are
  /// the same whatever it is.
  std::vector<std::string_view> idle_attributes = {};
  std::vector<std::size_t> idle_inputs = {};
};

/// `known`, with Operator::copies_integers.
inline Operator of_integers_too(Operator known) {
  known.copies_integers = true;
  return known;
}

/// The operators, by Node::full_type(). Every operators/X.cpp registers its own in
/// `void register_X(OperatorTable&)`; CMake collects the files.
class OperatorTable {
 public:
  /// Throws std::logic_error if the operator is already registered: it belongs in one file.
  void add(std::string full_type, Operator known);
  /// Null if the operator is not registered.
  const Operator* find(std::string_view full_type) const;
  /// Null if the installed schemas are to be used for the node's opset.
  ShapeFunction shape_function(const Node& node) const;
  const std::map<std::string, Operator, std::less<>>& operators() const { return operators_; }

 private:
  std::map<std::string, Operator, std::less<>> operators_;
};

OperatorTable make_operator_table();

/// Those of the operators that have one.
std::vector<Composition> compositions(const OperatorTable& operators);

/// The first output has the type and shape of the first input.
std::vector<TensorFacts> like_first(const NodeView& node);
/// Schemas up to opset 5 infer nothing for operators whose output is like their first input.
/// Broadcasting, which may enlarge the output, came with opset 7.
inline constexpr ShapeRule like_first_until_5{like_first, 1, 5};

/// Throws Error unless a convolution's weights, input `place`, have as many axes as its data, and
/// at least one of them is spatial.
void check_weights(const NodeView& node, std::size_t place);
template <std::size_t place>
void check_convolution_weights(const NodeView& node) {
  check_weights(node, place);
}

inline Lowered measured(std::vector<Call> calls, Types types = Types::floating_only) {
  return {Cost::measured, "", std::move(calls), types};
}
inline Lowered movement(std::vector<Call> calls) {
  return {Cost::movement, "", std::move(calls), Types::floating_only};
}
inline Lowered free_layer(std::string reason) {
  return {Cost::free, std::move(reason), {}, Types::floating_only};
}

}  // namespace benanza::onnx
