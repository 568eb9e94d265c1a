#include "generator/onnx/accounts.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <string>

namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;

bool is_same_value(const AttributeProto& a, const AttributeProto& b) {
  return a.i() == b.i() && a.f() == b.f() && a.s() == b.s() &&
         std::ranges::equal(a.ints(), b.ints()) && std::ranges::equal(a.floats(), b.floats()) &&
         std::ranges::equal(a.strings(), b.strings());
}

bool is_default(const NodeView& node, const AttributeProto& attribute) {
  const auto* schema =
      ::onnx::OpSchemaRegistry::Schema(node.op_type(), node.opset(), node.node().domain());
  if (schema == nullptr) return false;
  const auto found = schema->attributes().find(attribute.name());
  return found != schema->attributes().end() &&
         is_same_value(attribute, found->second.default_value);
}

std::string value_of(const AttributeProto& attribute) {
  switch (attribute.type()) {
    case AttributeProto::INT:
      return " = " + std::to_string(attribute.i());
    case AttributeProto::STRING:
      return " = " + attribute.s();
    default:
      return "";
  }
}

void check_attributes(const NodeView& node, const Operator& known) {
  // What files of the first format version say of memory.
  constexpr std::string_view of_memory = "consumed_inputs";
  for (const AttributeProto& attribute : node.node().proto().attribute()) {
    const std::string& name = attribute.name();
    if (node.asked().attributes.contains(name) || name == of_memory ||
        std::ranges::find(known.idle_attributes, name) != known.idle_attributes.end() ||
        is_default(node, attribute)) {
      continue;
    }
    throw NotExpressible("its attribute " + name + value_of(attribute) +
                         " is not taken into account");
  }
}

/// The inputs of the node that calls read; those of calls with packed weights only if `packed`.
std::set<std::size_t> operands_of(const Lowered& lowered, bool packed) {
  std::set<std::size_t> found;
  for (const Call& call : lowered.calls) {
    if (call.problem.packed.has_value() && !packed) continue;
    for (const Source& source : call.operands) {
      if (source.kind == Source::Kind::input) found.insert(static_cast<std::size_t>(source.index));
    }
  }
  return found;
}

std::string input_text(const std::string& name, std::size_t index) {
  return "its input " + std::to_string(index) + " \"" + name + "\"";
}

bool is_narrow(int type) {
  return type_bits(type) > 0 && type_bits(type) <= 8 && type != ::onnx::TensorProto::BOOL;
}

}  // namespace

void check_accounts(const NodeView& node, const Operator& known, const Lowered& lowered) {
  if (lowered.cost != Cost::measured && lowered.cost != Cost::movement) return;
  check_attributes(node, known);
  const bool of_floats = lowered.cost == Cost::measured && lowered.types == Types::floating_only;
  const std::set<std::size_t> asked = node.asked().inputs;
  const std::set<std::size_t> operands = operands_of(lowered, true);
  const std::set<std::size_t> floats =
      of_floats ? operands_of(lowered, false) : std::set<std::size_t>();
  for (std::size_t index = 0; index < node.input_count(); ++index) {
    if (!node.has_input(index)) continue;
    const Tensor& input = node.input(index);
    if (floats.contains(index) && is_narrow(input.type)) {
      throw NotExpressible(input_text(input.name, index) + " is stored as " +
                           type_name(input.type) + ", which its calls do not read");
    }
    const bool is_empty = input.shape && element_count(*input.shape) == 0;
    if (asked.contains(index) || operands.contains(index) || is_empty ||
        std::ranges::find(known.idle_inputs, index) != known.idle_inputs.end()) {
      continue;
    }
    throw NotExpressible(input_text(input.name, index) + " is not taken into account");
  }
}

}  // namespace benanza::onnx
