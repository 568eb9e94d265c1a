#include "generator/onnx/stored.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/cast_weights.h"
#include "generator/onnx/only_integer.h"
#include "generator/onnx/scale_axes.h"

namespace benanza::onnx {
namespace {

/// Operators whose result holds the values of their first input, in another order or shape.
constexpr std::string_view views[] = {"Identity", "Transpose", "Reshape",
                                      "Flatten",  "Squeeze",   "Unsqueeze"};

bool is_dequantization(const Node& node) { return node.op_type() == "DequantizeLinear"; }

bool is_float(const Value* value) { return value != nullptr && is_floating(value->type); }

/// Whether every part that `step`, a Split, makes is read.
bool is_used_whole(const Step& step) {
  return std::ranges::all_of(step.outputs,
                             [](const Value* part) { return part != nullptr && part->consumed; });
}

/// Whether the step's results hold what its first input does: a view, a float in another format, or
/// all the parts.
bool shows_input(const Step& step) {
  if (step.inputs.empty() || step.inputs[0] == nullptr || step.outputs.empty()) return false;
  if (is_view(step.node)) return true;
  if (!step.node.domain().empty()) return false;
  if (step.node.op_type() == "Split") return is_used_whole(step);
  return step.node.op_type() == "Cast" && is_float(step.inputs[0]) && is_float(step.outputs[0]);
}

/// Whether the step's results are some elements of its first input.
bool takes_parts(const Step& step) {
  constexpr std::string_view parts[] = {"Gather", "Slice", "Split"};
  return step.node.domain().empty() && !step.inputs.empty() && step.inputs[0] != nullptr &&
         std::ranges::find(parts, step.node.op_type()) != std::end(parts);
}

/// What the file stores of a constant of which the model takes parts, and converts them; itself
/// if there are none.
const Value& behind_parts(const Program& program, const Value& constant) {
  const Value* shown = constant.original == nullptr ? &constant : constant.original;
  while (shown->producer) {
    const Step& step = program.steps[*shown->producer];
    if (!takes_parts(step) && !shows_input(step) && !is_dequantization(step.node)) break;
    const Value* const next = step.inputs.empty() ? nullptr : step.inputs[0];
    if (next == nullptr) break;
    shown = next->original == nullptr ? next : next->original;
  }
  return *shown;
}

/// Zero points of which all are the same are part of what a call computes.
bool is_read_in_every_run(const Step& dequantization, std::size_t input) {
  constexpr std::size_t zero_points = 2;
  const Value* const value = dequantization.inputs[input];
  return value != nullptr &&
         (input != zero_points ||
          (!type_name(value->type).starts_with("float") && !only_integer(*value)));
}

void collect(const Program& program, const Value& constant, bool scales,
             std::set<const Value*>& found) {
  const Value& own = constant.original == nullptr ? constant : *constant.original;
  if (own.producer) {
    const Step& step = program.steps[*own.producer];
    const bool dequantizes = is_dequantization(step.node);
    const bool has_input = !step.inputs.empty() && step.inputs[0] != nullptr;
    if ((dequantizes && has_input) || shows_input(step)) {
      const std::size_t count = dequantizes && scales ? step.inputs.size() : 1;
      for (std::size_t index = 0; index < count; ++index) {
        if (!dequantizes || is_read_in_every_run(step, index))
          collect(program, *step.inputs[index], scales, found);
      }
      return;
    }
    std::set<const Value*> sources;
    if (scales) sources = narrower_sources(program, own);
    if (!sources.empty()) return found.merge(sources);
  }
  found.insert(own.shared == nullptr ? &own : own.shared);
}

/// Zero points that are all zero, as those of floats have to be, change nothing.
bool has_zero_points(const Step& step) {
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) return false;
  if (type_name(step.inputs[2]->type).starts_with("float")) return false;
  return only_integer(*step.inputs[2]) != 0;
}

/// Unsigned integers whose zero point is the middle of their range are signed ones without.
std::optional<PackedType> centered(const Step& step, PackedType type) {
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) return std::nullopt;
  const auto point = only_integer(*step.inputs[2]);
  if (type == PackedType::uint8 && point == 128) return PackedType::int8;
  if (type == PackedType::uint4 && point == 8) return PackedType::int4;
  if (type == PackedType::uint2 && point == 2) return PackedType::int2;
  return std::nullopt;
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

std::int64_t stored_bits(const Program& program, const Value& constant) {
  constexpr std::int64_t bits_of_half = 16;
  constexpr std::int64_t bits_of_float = 32;
  const Value& stored = behind_parts(program, constant);
  const std::int64_t elements = stored.shape ? element_count(*stored.shape) : 0;
  std::int64_t bits = 0;
  for (const Value* source : narrower_sources(program, stored, bits_of_float)) {
    bits += element_count(*source->shape) * type_bits(source->type);
  }
  std::int64_t each = bits == 0 || elements == 0 ? type_bits(stored.type) : bits / elements;
  if (each > bits_of_half && each < bits_of_float) each = bits_of_half;
  return std::min<std::int64_t>(type_bits(constant.type), each);
}

std::string taken_for_floats(const Program& program, const Value& weights) {
  const std::set<const Value*> held = stored_tensors(program, weights);
  if (std::ranges::any_of(held, [](const Value* one) { return one->nonzeros.has_value(); })) {
    return "its weights, stored without their zeros, are taken to be dense";
  }
  const auto bits = [](const Value* value) {
    return element_count(*value->shape) * type_bits(value->type);
  };
  const Step* const conversion = dequantization(program, weights);
  const Value* stored = conversion == nullptr ? nullptr : conversion->inputs[0];
  const std::set<const Value*> sources = narrower_sources(program, weights);
  if (stored == nullptr && !sources.empty()) stored = *std::ranges::max_element(sources, {}, bits);
  if (stored == nullptr && is_floating(weights.type)) stored = &behind_parts(program, weights);
  if (stored == nullptr || is_floating(stored->type)) return "";
  return "its weights, stored as " + type_name(stored->type) +
         ", are taken to be floats once the model is loaded";
}

const Step* dequantization(const Program& program, const Value& value) {
  const Value* shown = value.original == nullptr ? &value : value.original;
  while (shown != nullptr && shown->producer) {
    const Step& step = program.steps[*shown->producer];
    if (is_dequantization(step.node)) return &step;
    if (!shows_input(step)) return nullptr;
    shown = step.inputs[0];
  }
  return nullptr;
}

std::optional<PackedWeights> packed_weights(const Program& program, const Value& value) {
  const Step* const step = dequantization(program, value);
  if (step == nullptr) return packed_by_casts(program, value);
  auto packed = packed_by(*step);
  if (!packed) return packed;
  const std::int64_t block = joined_block(program, value, *step);
  if (block > 0) {
    packed->block = block;
    packed->per_column = false;
  }
  return packed;
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
  if (const auto signed_type = centered(step, *type)) {
    packed.type = *signed_type;
    packed.zero_points = false;
  }
  return packed;
}

}  // namespace benanza::onnx
