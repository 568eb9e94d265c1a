#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/site.h"

namespace benanza::onnx {

/// Who sees to it that a measured node's operands are of a type that its calls know.
enum class Types { floating_only, checked_by_lowering };

/// What a node becomes: LoweredLayer::cost, reason and calls.
struct Lowered {
  Cost cost = Cost::unsupported;
  std::string reason;
  std::vector<Call> calls;
  Types types = Types::floating_only;
};

/// Throws NotExpressible with the reason where no library call does what the node asks; Error where
/// the node makes no sense.
using LowerFunction = Lowered (*)(const Site&);

/// How every operator is expressed, by Node::full_type(). Each lower/X.cpp adds its operators in
/// `void lower::register_X(LoweringTable&)`; CMake collects the files.
class LoweringTable {
 public:
  void add(std::string_view op_type, LowerFunction function) {
    functions_.emplace(op_type, function);
  }
  /// Null if there is no lowering.
  LowerFunction find(const std::string& op_type) const {
    const auto found = functions_.find(op_type);
    return found == functions_.end() ? nullptr : found->second;
  }
  std::vector<std::string> op_types() const {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, LowerFunction> functions_;
};

/// Every operator of lower/.
LoweringTable make_lowering_table();

/// The layer of a node: tries the constants first, then the table. Sets everything but the name and
/// the inputs. Throws Error, without the node's name.
LoweredLayer lower_node(const Site& site, const LoweringTable& table, bool all_outputs_constant);

/// The layer of a node that has no expression here, for the given reason.
LoweredLayer unsupported_layer(const Site& site, std::string reason);

// Words for lowerings.

inline Source from_input(int index, float scale = 1) { return {Source::Kind::input, index, scale}; }
inline Source from_call(int index) { return {Source::Kind::call, index, 1}; }
inline Source from_attribute() { return {Source::Kind::attribute, 0, 1}; }

inline Call call(Shape shape, std::vector<Source> operands) {
  return {.problem = {std::move(shape), {}}, .operands = std::move(operands)};
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
