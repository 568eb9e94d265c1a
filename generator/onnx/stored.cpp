#include "generator/onnx/stored.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/cast_weights.h"

namespace benanza::onnx {
namespace {

/// Operators whose result holds the values of their first input, in another order or shape.
constexpr std::string_view views[] = {"Identity", "Transpose", "Reshape",
                                      "Flatten",  "Squeeze",   "Unsqueeze"};

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
    std::set<const Value*> sources;
    if (scales) sources = narrower_sources(program, own);
    if (!sources.empty()) return found.merge(sources);
  }
  found.insert(&own);
}

/// Zero points that are all zero, as those of floats have to be, change nothing.
bool has_zero_points(const Step& step) {
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) return false;
  if (type_name(step.inputs[2]->type).starts_with("float")) return false;
  const auto& literal = step.inputs[2]->literal;
  const auto* points = literal ? std::get_if<std::vector<std::int64_t>>(&*literal) : nullptr;
  return points == nullptr ||
         std::ranges::any_of(*points, [](std::int64_t point) { return point != 0; });
}

}  // namespace

bool is_view(const Node& node) {
  return node.domain().empty() && std::ranges::find(views, node.op_type()) != std::end(views);
}

std::optional<PackedType> packed_type(int type) {
  const std::string name = type_name(type);
  if (name.starts_with("float8")) return PackedType::fp8;
  if (name == "float4e2m1") return PackedType::fp4;
  const auto found =
      std::ranges::find(all_packed_types, name, [](PackedType one) { return to_string(one); });
  return found == std::end(all_packed_types) ? std::nullopt : std::optional(*found);
}

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

std::optional<std::size_t> axis_of_blocks(const Program& program, const Value& value,
                                          const Step& step) {
  if (step.inputs[0] == nullptr || !step.inputs[0]->shape) return std::nullopt;
  std::vector<const Step*> views_between;
  const Value* shown = value.original == nullptr ? &value : value.original;
  while (shown->producer && &program.steps[*shown->producer] != &step) {
    views_between.push_back(&program.steps[*shown->producer]);
    shown = views_between.back()->inputs[0];
  }
  const std::size_t rank = step.inputs[0]->shape->size();
  const std::int64_t stated = step.node.integer("axis", 1);
  auto axis =
      static_cast<std::size_t>(stated < 0 ? stated + std::ssize(*step.inputs[0]->shape) : stated);
  for (auto view = views_between.rbegin(); view != views_between.rend(); ++view) {
    const std::string& op = (*view)->node.op_type();
    if (op == "Identity") continue;
    if (op != "Transpose") return std::nullopt;
    const auto stated_order = (*view)->node.integers("perm");
    if (!stated_order) {
      axis = rank - 1 - axis;
      continue;
    }
    const auto found = std::ranges::find(*stated_order, static_cast<std::int64_t>(axis));
    axis = static_cast<std::size_t>(found - stated_order->begin());
  }
  return axis < rank ? std::optional(axis) : std::nullopt;
}

std::optional<PackedWeights> packed_weights(const Program& program, const Value& value) {
  const Step* const step = dequantization(program, value);
  return step == nullptr ? packed_by_casts(program, value) : packed_by(*step);
}

std::optional<PackedWeights> packed_by(const Step& step) {
  if (step.inputs.size() < 2 || step.inputs[0] == nullptr || step.inputs[1] == nullptr) {
    return std::nullopt;
  }
  const auto type = packed_type(step.inputs[0]->type);
  if (!type) return std::nullopt;
  PackedWeights packed{.type = *type};
  packed.block = step.node.integer("block_size", 0);
  const auto& scales = step.inputs[1]->shape;
  packed.per_column = packed.block == 0 && scales && element_count(*scales) > 1;
  packed.zero_points = has_zero_points(step);
  return packed;
}

}  // namespace benanza::onnx
