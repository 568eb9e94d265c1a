#include "generator/onnx/lower_node.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "generator/onnx/accounts.h"
#include "generator/onnx/model/subgraph.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

std::vector<PartRead> parts_of(const NodeView& node, const OperatorTable& operators) {
  const Operator* const known = operators.find(node.full_type());
  if (known == nullptr || known->parts == nullptr) return {};
  try {
    return known->parts(node);
  } catch (const std::exception&) {
    // What is wrong with the node is told elsewhere.
    return {};
  }
}

std::optional<double> stated_bytes(const NodeView& node, const OperatorTable& operators) {
  const Operator* const known = operators.find(node.full_type());
  if (known == nullptr || known->least_bytes == nullptr) return std::nullopt;
  try {
    return known->least_bytes(node);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The least traffic in bytes: every input, or of `parts` the most that is read, and every output
/// once, floats as fp32; empty if unknown.
std::optional<double> traffic_bytes(const NodeView& node, const std::vector<PartRead>& parts) {
  std::int64_t total = 0;
  const auto add = [&](const Tensor& tensor) {
    const int bits = is_floating(tensor.type) ? 32 : type_bits(tensor.type);
    if (!tensor.shape || bits == 0) return false;
    total += (element_count(*tensor.shape) * bits + 7) / 8;
    return true;
  };
  for (std::size_t index = 0; index < node.input_count(); ++index) {
    const std::int64_t before = total;
    if (node.has_input(index) && !add(node.input(index))) return std::nullopt;
    const auto part = std::ranges::find(parts, index, &PartRead::input);
    if (part != parts.end() && part->of > 0)
      total = before + (total - before) / part->of * part->most;
  }
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (node.has_output(index) && !add(node.output(index))) return std::nullopt;
  }
  return static_cast<double>(total);
}

/// Whether the only call has sums of an axis without elements.
bool adds_nothing_up(const Lowered& lowered) {
  if (lowered.calls.size() != 1) return false;
  const Problem& problem = lowered.calls.front().problem;
  const auto* const reduction = std::get_if<Reduction>(&problem.shape);
  const bool sums = reduction != nullptr && reduction->kind == ReductionKind::sum;
  if (!sums && !std::holds_alternative<Gemm>(problem.shape)) return false;
  if (problem.epilogue != Epilogue{}) return false;
  return std::ranges::any_of(
      inputs(problem), [](const Operand& operand) { return element_count(operand.dims) == 0; });
}

void check_extents(const Lowered& lowered) {
  for (const Call& call : lowered.calls) {
    for (const Operand& operand : inputs(call.problem)) {
      if (element_count(operand.dims) < 1) throw NotExpressible("an operand is empty");
    }
  }
}

/// A problem that no key says (an infinite factor, sizes beyond every machine) cannot be measured.
void check_keys(const Lowered& lowered) {
  for (const Call& call : lowered.calls) {
    try {
      parse(key(call.problem));
    } catch (const std::invalid_argument& refusal) {
      throw NotExpressible(refusal.what());
    }
  }
}

/// Elements of the node's output that the layer's calls with Call::writes_part write.
std::int64_t elements_of_parts(const Lowered& lowered) {
  std::int64_t elements = 0;
  for (const Call& call : lowered.calls) {
    if (!call.writes_part) continue;
    const auto* copy = std::get_if<Copy>(&call.problem.shape);
    elements += element_count(copy == nullptr ? results(call.problem).front() : copy->dims);
  }
  return elements;
}

/// Shape inference and lowering read the attributes independently. If they disagree about the
/// result, the layer must not be measured as something else.
void check_result(const NodeView& node, const Lowered& lowered) {
  if (lowered.cost != Cost::measured || lowered.calls.empty()) return;
  const Call& last = lowered.calls.back();
  if (last.writes_part) {
    const Dims& expected = node.output_shape(static_cast<std::size_t>(last.output));
    if (elements_of_parts(lowered) != checked_element_count(expected)) {
      throw NotExpressible("computes parts that do not fill " + join(expected, 'x'));
    }
    return;
  }
  // The largest element stands for those of TopK.
  if (last.is_proxy && !std::holds_alternative<Copy>(last.problem.shape)) return;
  const std::vector<Dims> parts = results(last.problem);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t index = static_cast<std::size_t>(last.output) + part;
    if (!node.has_output(index)) continue;
    const Dims& expected = node.output_shape(index);
    if (checked_element_count(parts[part]) != checked_element_count(expected)) {
      throw NotExpressible("computes " + join(parts[part], 'x') + " where the model expects " +
                           join(expected, 'x'));
    }
  }
}

void check_type(const NodeView& node, const Lowered& lowered) {
  if (lowered.cost != Cost::measured || lowered.types == Types::checked_by_lowering) return;
  const auto check = [](int type) {
    if (!is_floating(type)) throw NotExpressible(type_name(type) + " arithmetic");
  };
  check(node.input(0).type);
  std::size_t index = 0;
  while (index < node.output_count() && !node.has_output(index)) ++index;
  if (index < node.output_count()) check(node.output(index).type);
}

bool has_reader(const NodeView& node) {
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (node.has_output(index)) return true;
  }
  return node.output_count() == 0;
}

bool makes_nothing(const NodeView& node) {
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (!node.has_output(index)) continue;
    const Tensor& tensor = node.output(index);
    if (!tensor.shape || element_count(*tensor.shape) != 0) return false;
  }
  return true;
}

/// Whether all that the calls read are 8-bit numbers, each of which is one of its operands.
bool moves_bytes(const NodeView& node, const Lowered& lowered) {
  if (lowered.calls.empty()) return false;
  return std::ranges::all_of(lowered.calls, [&](const Call& call) {
    return std::ranges::all_of(call.operands, [&](const Source& source) {
      if (source.kind != Source::Kind::input) return source.kind == Source::Kind::call;
      const int type = node.input(static_cast<std::size_t>(source.index)).type;
      return type == ::onnx::TensorProto::INT8 || type == ::onnx::TensorProto::UINT8 ||
             is_float_of_8_bits(type);
    });
  });
}

/// Whether it reads or makes strings.
bool has_text(const NodeView& node) {
  constexpr int text = ::onnx::TensorProto::STRING;
  for (std::size_t index = 0; index < node.input_count(); ++index) {
    if (node.has_input(index) && node.input(index).type == text) return true;
  }
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (node.has_output(index) && node.output(index).type == text) return true;
  }
  return false;
}

Lowered lower(const NodeView& node, const OperatorTable& operators, bool all_outputs_constant) {
  if (all_outputs_constant) return free_layer("computed from constants and shapes alone");
  if (node.node().has_subgraph()) {
    throw NotExpressible("what its body does is only known when the model runs: hides " +
                         hidden_nodes(node.node().proto()));
  }
  const Operator* known = operators.find(node.full_type());
  if (known != nullptr && !known->unsupported.empty()) {
    throw NotExpressible(std::string(known->unsupported));
  }
  if (known == nullptr || known->lower == nullptr) {
    if (has_text(node)) throw NotExpressible("no library here works on text");
    throw NotExpressible(known == nullptr ? "an unknown operator" : "no library here has it");
  }
  if (!has_reader(node)) return free_layer("nobody reads its result");
  Lowered lowered = known->lower(node);
  check_accounts(node, *known, lowered);
  drop_idle_copies(node, lowered);
  if (makes_nothing(node)) return free_layer("its result is empty");
  check_type(node, lowered);
  if (adds_nothing_up(lowered)) return free_layer("sums of no elements: zeros");
  check_extents(lowered);
  check_result(node, lowered);
  check_keys(lowered);
  if (lowered.cost == Cost::movement && moves_bytes(node, lowered))
    lowered.precision = to_string(Precision::int8);
  return lowered;
}

bool is_integer(const Tensor& tensor) {
  return tensor.shape && type_bytes(tensor.type) > 0 && !is_floating(tensor.type);
}

/// Others may be repeated: no library copies one element to many places.
int largest_input(const NodeView& node) {
  std::size_t largest = 0;
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    if (node.has_input(index) && node.elements(index) > node.elements(largest)) largest = index;
  }
  return static_cast<int>(largest);
}

/// Arithmetic of integers (positions of tokens, masks), for which no library has a call: stands for
/// a copy of the result, which every way to compute it takes at least. Empty for other nodes.
/// Throws NotExpressible as check_accounts() does.
std::optional<Lowered> integer_arithmetic(const NodeView& node, const OperatorTable& operators) {
  const Operator* known = operators.find(node.full_type());
  if (known == nullptr || !known->copies_integers) return std::nullopt;
  if (node.output_count() != 1 || !node.has_output(0)) return std::nullopt;
  for (std::size_t index = 0; index < node.input_count(); ++index) {
    if (node.has_input(index) && !is_integer(node.input(index))) return std::nullopt;
  }
  if (!node.has_input(0) || !is_integer(node.output(0))) return std::nullopt;
  const std::int64_t elements = element_count(*node.output(0).shape);
  if (elements < 1 || element_count(node.shape(0)) < 1) return std::nullopt;
  Lowered copy{.cost = Cost::measured,
               .reason = "integers, for which no library has a call: a copy of the result",
               .calls = {proxy_copy(node, elements, largest_input(node))},
               .types = Types::checked_by_lowering};
  check_accounts(node, *known, copy);
  if (moves_bytes(node, copy) && type_bits(node.output(0).type) == 8) {
    copy.precision = to_string(Precision::int8);
  }
  return copy;
}

}  // namespace

namespace {

/// Adds what `stated` says of the node, below `count`, to `places`, once.
void add_whole(PlacesFunction stated, const NodeView& node, std::size_t count,
               std::vector<std::size_t>& places) {
  if (stated == nullptr) return;
  for (const std::size_t place : stated(node)) {
    if (place < count && std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
}

LoweredLayer make_layer(const NodeView& node, Lowered lowered, const OperatorTable& operators) {
  LoweredLayer layer;
  layer.op = node.full_type();
  layer.cost = lowered.cost;
  layer.reason = std::move(lowered.reason);
  layer.calls = std::move(lowered.calls);
  layer.whole = std::move(lowered.whole);
  layer.precision = std::move(lowered.precision);
  layer.reads_whole = std::move(lowered.reads_whole);
  layer.unwritten = std::move(lowered.unwritten);
  layer.taken = std::move(lowered.taken);
  layer.compulsory = lowered.compulsory;
  layer.reads_parts = parts_of(node, operators);
  set_work(layer);
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (!node.has_output(index)) continue;
    const Tensor& tensor = node.output(index);
    layer.outputs.push_back({tensor.name, type_name(tensor.type), tensor.shape});
  }
  if (layer.cost == Cost::unsupported) {
    if (const Operator* const known = operators.find(node.full_type()); known != nullptr) {
      add_whole(known->reads_whole, node, node.input_count(), layer.reads_whole);
      add_whole(known->writes_whole, node, node.output_count(), layer.writes_whole);
    }
    layer.bytes = lowered.least_bytes;
    if (!layer.bytes) layer.bytes = stated_bytes(node, operators);
    if (!layer.bytes) layer.bytes = traffic_bytes(node, layer.reads_parts);
  }
  return layer;
}

}  // namespace

LoweredLayer unsupported_layer(const NodeView& node, std::string reason,
                               const OperatorTable& operators) {
  return make_layer(node, {Cost::unsupported, std::move(reason), {}, Types::floating_only},
                    operators);
}

LoweredLayer lower_node(const NodeView& node, const OperatorTable& operators,
                        bool all_outputs_constant) {
  try {
    return make_layer(node, lower(node, operators, all_outputs_constant), operators);
  } catch (const NotExpressible& reason) {
    try {
      if (auto moved = integer_arithmetic(node, operators)) {
        return make_layer(node, *std::move(moved), operators);
      }
    } catch (const NotExpressible& unaccounted) {
      return unsupported_layer(node, unaccounted.what(), operators);
    }
    return unsupported_layer(node, reason.what(), operators);
  }
}

}  // namespace benanza::onnx
