#include "generator/onnx/stored.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/byte_conversions.h"
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
  constexpr std::string_view parts[] = {"Gather", "GatherND", "Slice", "Split"};
  return step.node.domain().empty() && !step.inputs.empty() && step.inputs[0] != nullptr &&
         std::ranges::find(parts, step.node.op_type()) != std::end(parts);
}

bool is_cast_of_bytes(const Step& step) {
  constexpr int most_bits = 8;
  if (!step.node.domain().empty() || step.node.op_type() != "Cast") return false;
  if (step.inputs.empty() || step.inputs[0] == nullptr) return false;
  const int bits = type_bits(step.inputs[0]->type);
  return bits > 0 && bits <= most_bits;
}

/// What the file stores of a constant of which the model takes parts, and converts them; itself
/// if there are none.
const Value& behind_parts(const Program& program, const Value& constant) {
  const Value* shown = constant.original == nullptr ? &constant : constant.original;
  while (shown->producer) {
    const Step& step = program.steps[*shown->producer];
    if (!takes_parts(step) && !shows_input(step) && !is_dequantization(step.node) &&
        !is_cast_of_bytes(step)) {
      break;
    }
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

/// The step that makes `value`, a constant, or null.
const Step* maker(const Program& program, const Value* value) {
  if (value == nullptr) return nullptr;
  const Value& own = value->original == nullptr ? *value : *value->original;
  return own.producer ? &program.steps[*own.producer] : nullptr;
}

std::int64_t elements(const Value& value) { return value.shape ? element_count(*value.shape) : 0; }

std::int64_t bits_of(const Value& value) { return elements(value) * type_bits(value.type); }

bool is(const Step* step, std::string_view op) {
  return step != nullptr && !step->inputs.empty() && step->node.domain().empty() &&
         step->node.op_type() == op;
}

void collect_sources(const Program& program, const Value& value, std::set<const Value*>& found,
                     std::set<const Value*>& visited) {
  const Value& own = value.original == nullptr ? value : *value.original;
  if (!visited.insert(&own).second) return;
  const Step* const step = maker(program, &own);
  if (step == nullptr) {
    found.insert(&own);
    return;
  }
  if (is(step, "Shape")) return;
  for (const Value* input : step->inputs) {
    if (input != nullptr) collect_sources(program, *input, found, visited);
  }
}

std::set<const Value*> sources_of(const Program& program, const Value& constant) {
  std::set<const Value*> found;
  std::set<const Value*> visited;
  collect_sources(program, constant, found, visited);
  return found;
}

/// Whether a computed constant, as it is stored, has more bits than what it is made of, which
/// becomes `sources`: without places and extents.
bool is_larger_than(const Program& program, const Value& constant,
                    std::set<const Value*>& sources) {
  sources = sources_of(program, constant);
  std::erase_if(sources, [](const Value* one) { return one->type == ::onnx::TensorProto::INT64; });
  std::int64_t bits = 0;
  for (const Value* source : sources) {
    if (!source->constant || !source->shape || type_bits(source->type) == 0) return false;
    bits += bits_of(*source);
  }
  // Those without sources are filled with one number, as models without their weights are.
  return bits > 0 && bits < elements(constant) * stored_bits(program, constant);
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
    const bool is_part = &behind_parts(program, own) != &own;
    std::set<const Value*> sources;
    if (scales && !is_part) sources = narrower_sources(program, own);
    if (!sources.empty()) return found.merge(sources);
    if (scales && is_larger_than(program, own, sources)) return found.merge(sources);
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

/// The operand of `step`, arithmetic of two, that has as many elements as the result; the other one
/// is `beside`. Null if there is none.
const Value* main_operand(const Step& step, const Value*& beside) {
  if (step.inputs.size() != 2 || step.outputs.empty()) return nullptr;
  const Value* const a = step.inputs[0];
  const Value* const b = step.inputs[1];
  const Value* const made = step.outputs[0];
  if (a == nullptr || b == nullptr || made == nullptr) return nullptr;
  const bool is_first = elements(*a) == elements(*made);
  beside = is_first ? b : a;
  return is_first || elements(*b) == elements(*made) ? (is_first ? a : b) : nullptr;
}

/// What views and conversions of floats show of `value`.
const Value* behind_views(const Program& program, const Value* value) {
  for (const Step* step = maker(program, value); step != nullptr; step = maker(program, value)) {
    const bool of_floats =
        is(step, "Cast") && step->inputs[0] != nullptr && is_floating(step->inputs[0]->type);
    if ((!is_view(step->node) && !of_floats) || step->inputs.empty()) break;
    value = step->inputs[0];
  }
  return value;
}

/// How the scales (or zero points) beside `weights`, of which views make `constant`, are shared.
/// False if no type of packed weights says so: each element has its own, or they lie otherwise.
bool set_scales(PackedWeights& packed, const Value& weights, const Value& scales,
                const Value& constant) {
  if (elements(scales) <= 1 || !weights.shape || !scales.shape || !constant.shape) return true;
  const Dims& dims = *weights.shape;
  if (scales.shape->size() > dims.size()) return false;
  const std::size_t missing = dims.size() - scales.shape->size();
  Dims shared;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const bool differs = axis >= missing && (*scales.shape)[axis - missing] > 1;
    if (!differs && dims[axis] > 1) shared.push_back(axis > 0 ? dims[axis] : 0);
  }
  if (shared.empty()) return false;
  // Blocks have an axis of their own, which a view joins to the one before it.
  const bool is_joined = constant.shape->size() < dims.size() && shared.size() == 1;
  packed.block = is_joined ? shared.front() : 0;
  packed.per_column = packed.block == 0;
  return true;
}

/// Whether a Sub of `points` changes what products need: numbers that are the same for all are a
/// middle of the range.
bool are_zero_points(const Value& points) { return elements(points) > 1; }

/// The type of the integers (or narrow floats) `value`; of those that the model unpacks by shifts,
/// the one of as many bits as are stored for each.
std::optional<PackedType> stored_type(const Program& program, const Value& value) {
  std::int64_t most = 0;
  for (const Value* source : sources_of(program, value)) {
    most = std::max(most, bits_of(*source));
  }
  const std::int64_t own = elements(value);
  if (own == 0 || most >= own * type_bits(value.type)) return packed_type(value.type);
  if (most == 4 * own) return PackedType::uint4;
  if (most == 2 * own) return PackedType::uint2;
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
  return std::ranges::all_of(
      step.outputs, [](const Value* output) { return output == nullptr || output->constant; });
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
  std::int64_t bits = 0;
  std::int64_t of_floats = 0;
  for (const Value* source : narrower_sources(program, stored, bits_of_float)) {
    bits += bits_of(*source);
    if (type_bits(source->type) >= bits_of_float) of_floats += bits_of(*source);
  }
  // Floats between numbers that the model fills in, such as pads.
  if (2 * of_floats > bits) return type_bits(constant.type);
  std::int64_t each = bits == 0 ? type_bits(stored.type) : bits / elements(stored);
  if (each > bits_of_half && each < bits_of_float) each = bits_of_half;
  return std::min<std::int64_t>(type_bits(constant.type), each);
}

std::string taken_for_floats(const Program& program, const Value& weights) {
  const std::set<const Value*> held = stored_tensors(program, weights);
  if (std::ranges::any_of(held, [](const Value* one) { return one->nonzeros.has_value(); })) {
    return "its weights, stored without their zeros, are taken to be dense";
  }
  const auto bits = [](const Value* value) { return bits_of(*value); };
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

const Step* scaling_of_casts(const Program& program, const Value& constant) {
  const Step* const scaled = maker(program, behind_views(program, &constant));
  return is(scaled, "Mul") ? scaled : nullptr;
}

std::optional<PackedWeights> packed_by_casts(const Program& program, const Value& constant) {
  const Value* value = behind_views(program, &constant);
  PackedWeights packed;
  const Value* beside = nullptr;
  if (const Step* const scaled = scaling_of_casts(program, constant)) {
    const Value* const weights = main_operand(*scaled, beside);
    if (weights == nullptr) return std::nullopt;
    if (!set_scales(packed, *weights, *beside, constant)) return std::nullopt;
    if (const std::int64_t block = joined_block(program, constant, *scaled); block > 0) {
      packed.block = block;
      packed.per_column = false;
    }
    value = behind_views(program, weights);
  }
  if (const Step* const moved = maker(program, value); is(moved, "Sub")) {
    value = main_operand(*moved, beside);
    if (value == nullptr || value != moved->inputs[0]) return std::nullopt;
    packed.zero_points = are_zero_points(*beside);
    PackedWeights of_points;
    if (!set_scales(of_points, *value, *beside, constant)) return std::nullopt;
    value = behind_views(program, value);
  }
  const Step* const cast = maker(program, value);
  if (!is(cast, "Cast") || cast->inputs[0] == nullptr) return std::nullopt;
  const auto type = stored_type(program, *cast->inputs[0]);
  if (!type) return std::nullopt;
  packed.type = *type;
  return packed;
}

std::set<const Value*> narrower_sources(const Program& program, const Value& constant,
                                        std::int64_t bits_of_others) {
  if (maker(program, &constant) == nullptr || !is_floating(constant.type)) return {};
  std::set<const Value*> found = sources_of(program, constant);
  // Places and extents.
  std::erase_if(found,
                [](const Value* source) { return source->type == ::onnx::TensorProto::INT64; });
  constexpr std::int64_t most_in_an_element = 16;
  const std::int64_t own = elements(constant);
  std::int64_t bits = 0;
  std::int64_t largest = 0;
  for (const Value* source : found) {
    const bool is_known = source->constant && source->shape && type_bits(source->type) > 0;
    if (!is_known) return {};
    bits += bits_of(*source);
    largest = std::max(largest, elements(*source));
  }
  // Others are filled, or repeated.
  const bool holds_all = bits >= own && largest * most_in_an_element >= own;
  return holds_all && bits < own * bits_of_others ? found : std::set<const Value*>{};
}

}  // namespace benanza::onnx
