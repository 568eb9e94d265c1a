#include "generator/onnx/accounts.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "generator/lowered/lowered.h"

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

/// Moves neighbours to neighbours.
bool keeps_order(const Call& call) {
  const auto* copy = std::get_if<Copy>(&call.problem.shape);
  if (copy == nullptr || call.is_proxy || call.writes_part || call.to_offset != 0) return false;
  const Copy least = copy->canonical();
  return least.from == Dims{1} && least.to == Dims{1};
}

/// Elements of what a source names, all of it; empty if that has no shape.
std::optional<std::int64_t> elements_of(const NodeView& node, const std::vector<Call>& calls,
                                        const Source& source) {
  const auto index = static_cast<std::size_t>(source.index);
  if (source.kind == Source::Kind::call) {
    return element_count(results(calls[index].problem).front());
  }
  if (source.kind != Source::Kind::input || !node.has_input(index)) return std::nullopt;
  const Tensor& tensor = node.input(index);
  if (!tensor.shape) return std::nullopt;
  return element_count(*tensor.shape);
}

/// What a reader of the copy's result reads instead.
std::optional<Source> read_instead(const NodeView& node, const std::vector<Call>& calls,
                                   const Call& call) {
  Source source = call.operands.front();
  if (source.matrix_rows != 0) return std::nullopt;
  const auto all = elements_of(node, calls, source);
  if (!all) return std::nullopt;
  const std::int64_t moved = std::get<Copy>(call.problem.shape).moved_elements();
  if (source.part_from || moved != *all) {
    source.part_from = source.part_from.value_or(0) + call.from_offset;
  }
  return source;
}

/// The last call is a copy of all of the result before it, which then is the node's.
bool ends_with(const std::vector<Call>& calls, const Source& source) {
  const std::size_t last = calls.size() - 1;
  return source.kind == Source::Kind::call && source.is_whole() && source.scale == 1 &&
         static_cast<std::size_t>(source.index) + 1 == last &&
         calls[last - 1].output == calls[last].output &&
         !is_read({calls.begin(), calls.end() - 1}, last - 1);
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

void drop_idle_copies(const NodeView& node, Lowered& lowered) {
  std::vector<Call>& calls = lowered.calls;
  if (lowered.cost != Cost::measured && lowered.cost != Cost::movement) return;
  for (std::size_t index = calls.size(); index-- > 0;) {
    if (!keeps_order(calls[index])) continue;
    const auto instead = read_instead(node, calls, calls[index]);
    if (!instead) continue;
    const bool alone = calls.size() == 1 && instead->kind == Source::Kind::input &&
                       instead->index == 0 && instead->is_whole();
    const bool last = index + 1 == calls.size();
    if (alone && node.output_count() == 1) {
      lowered = free_layer("leaves every element where it is");
      return;
    }
    const bool inner = !last && calls[index].output == calls.back().output && is_read(calls, index);
    if (inner || (last && index > 0 && ends_with(calls, *instead)))
      erase_call(calls, index, *instead);
  }
}

}  // namespace benanza::onnx
