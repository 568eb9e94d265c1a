#include <onnx/onnx_pb.h>

#include <algorithm>
#include <type_traits>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Operators whose results are known before the model runs.
namespace benanza::onnx {
namespace {

/// The schema creates as many dimensions as the input has elements.
void check_shape_operand(const NodeView& node) {
  constexpr std::int64_t most_axes = 1024;
  if (node.rank(0).value_or(0) == 0) return;
  if (const std::int64_t made = node.shape(0).front(); made > most_axes) {
    throw Error("makes a tensor of " + std::to_string(made) + " axes");
  }
}

std::vector<Literal> fold_constant(const NodeView& node) {
  if (const ::onnx::AttributeProto* value = node.find("value");
      value != nullptr && value->has_t()) {
    const auto literal = read_literal(value->t());
    return literal ? std::vector<Literal>{*literal} : std::vector<Literal>{};
  }
  if (const ::onnx::AttributeProto* value = node.find("value_int"))
    return {std::vector{value->i()}};
  if (const auto values = node.integers("value_ints")) return {*values};
  if (const ::onnx::AttributeProto* value = node.find("value_float")) {
    return {std::vector<double>{value->f()}};
  }
  if (const auto values = node.reals("value_floats")) {
    return {std::vector<double>(values->begin(), values->end())};
  }
  return {};
}

std::vector<Literal> fold_constant_of_shape(const NodeView& node) {
  Literal value = std::vector<double>{0};
  if (const ::onnx::AttributeProto* stated = node.find("value"); stated != nullptr) {
    const auto literal = read_literal(stated->t());
    if (!literal) return {};
    value = *literal;
  }
  const auto count = static_cast<std::size_t>(element_count(node.output_shape(0)));
  return {std::visit(
      [&](const auto& values) -> Literal {
        return std::decay_t<decltype(values)>(count, values.empty() ? 0 : values.front());
      },
      value)};
}

std::vector<Literal> fold_shape(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto bound = [&](std::string_view name, std::int64_t fallback) {
    const std::int64_t value = node.integer(name, fallback);
    return std::clamp(value < 0 ? value + rank : value, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  return {Dims(dims.begin() + start, dims.begin() + end)};
}

std::vector<Literal> fold_size(const NodeView& node) {
  return {Dims{element_count(node.shape(0))}};
}

/// Ones along a diagonal, of integers or reals.
std::vector<Literal> fold_identity(const NodeView& node) {
  const Dims& dims = node.output_shape(0);
  const std::int64_t diagonal = node.integer("k", 0);
  Dims ones;
  for (std::int64_t row = 0; row < dims.at(0); ++row) {
    for (std::int64_t column = 0; column < dims.at(1); ++column) {
      ones.push_back(column - row == diagonal ? 1 : 0);
    }
  }
  const auto type = static_cast<int>(node.integer("dtype", node.input(0).type));
  if (!is_floating(type)) return {std::move(ones)};
  return {std::vector<double>(ones.begin(), ones.end())};
}

Lowered lower_shape(const NodeView&) {
  return free_layer("a shape is known before the model runs");
}

Lowered lower_fill(const NodeView&) { return free_layer("a constant"); }

}  // namespace

void register_constant(OperatorTable& table) {
  table.add("Constant", {.fold = fold_constant, .lower = lower_fill});
  table.add("ConstantOfShape",
            {.check = check_shape_operand, .fold = fold_constant_of_shape, .lower = lower_fill});
  table.add("Shape", {.fold = fold_shape, .fold_needs = FoldNeeds::shapes, .lower = lower_shape});
  table.add("Size", {.fold = fold_size, .fold_needs = FoldNeeds::shapes, .lower = lower_shape});
  table.add("EyeLike", {.fold = fold_identity,
                        .fold_needs = FoldNeeds::shapes,
                        .unsupported = "no library here makes an identity matrix"});
}

}  // namespace benanza::onnx
