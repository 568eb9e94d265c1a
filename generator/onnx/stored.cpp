#include "generator/onnx/stored.h"

#include <algorithm>
#include <string_view>

namespace benanza::onnx {
namespace {

/// Operators whose result holds the values of their first input, in another order or shape.
constexpr std::string_view views[] = {"Identity", "Transpose", "Reshape",
                                      "Flatten",  "Squeeze",   "Unsqueeze"};

bool is_view(const Node& node) {
  return node.domain().empty() && std::ranges::find(views, node.op_type()) != std::end(views);
}

bool is_dequantization(const Node& node) { return node.op_type() == "DequantizeLinear"; }

void collect(const Program& program, const Value& constant, bool scales,
             std::set<const Value*>& found) {
  const Value& own = constant.original == nullptr ? constant : *constant.original;
  if (own.producer) {
    const Step& step = program.steps[*own.producer];
    const bool dequantizes = is_dequantization(step.node);
    if ((dequantizes || is_view(step.node)) && !step.inputs.empty() && step.inputs[0] != nullptr) {
      const std::size_t count = dequantizes && scales ? step.inputs.size() : 1;
      for (std::size_t index = 0; index < count; ++index) {
        if (step.inputs[index] != nullptr) collect(program, *step.inputs[index], scales, found);
      }
      return;
    }
  }
  found.insert(&own);
}

std::optional<PackedType> packed_type(const std::string& name) {
  if (name.starts_with("float8")) return PackedType::fp8;
  if (name == "float4e2m1") return PackedType::fp4;
  const auto found =
      std::ranges::find(all_packed_types, name, [](PackedType type) { return to_string(type); });
  return found == std::end(all_packed_types) ? std::nullopt : std::optional(*found);
}

/// Zero points that are all zero change nothing.
bool has_zero_points(const Step& step) {
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) return false;
  const auto& literal = step.inputs[2]->literal;
  const auto* points = literal ? std::get_if<std::vector<std::int64_t>>(&*literal) : nullptr;
  return points == nullptr ||
         std::ranges::any_of(*points, [](std::int64_t point) { return point != 0; });
}

}  // namespace

bool all_outputs_constant(const Step& step) {
  return std::all_of(step.outputs.begin(), step.outputs.end(),
                     [](const Value* output) { return output == nullptr || output->constant; });
}

std::set<const Value*> stored_tensors(const Program& program, const Value& constant) {
  std::set<const Value*> found;
  collect(program, constant, false, found);
  return found;
}

std::set<const Value*> stored_tensors_and_scales(const Program& program, const Value& constant) {
  std::set<const Value*> found;
  collect(program, constant, true, found);
  return found;
}

const Step* dequantization(const Program& program, const Value& value) {
  const Value* shown = value.original == nullptr ? &value : value.original;
  while (shown != nullptr && shown->producer) {
    const Step& step = program.steps[*shown->producer];
    if (is_dequantization(step.node)) return &step;
    if (!is_view(step.node) || step.inputs.empty()) return nullptr;
    shown = step.inputs[0];
  }
  return nullptr;
}

std::optional<PackedWeights> packed_by(const Step& step) {
  if (step.inputs.size() < 2 || step.inputs[0] == nullptr || step.inputs[1] == nullptr) {
    return std::nullopt;
  }
  const auto type = packed_type(type_name(step.inputs[0]->type));
  if (!type) return std::nullopt;
  PackedWeights packed{.type = *type};
  packed.block = step.node.integer("block_size", 0);
  const auto& scales = step.inputs[1]->shape;
  packed.per_column = packed.block == 0 && scales && element_count(*scales) > 1;
  packed.zero_points = has_zero_points(step);
  return packed;
}

}  // namespace benanza::onnx
