#include "generator/onnx/cast_weights.h"

#include <algorithm>
#include <string_view>

#include "generator/onnx/scale_axes.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

/// The step that makes `value`, a constant, or null.
const Step* maker(const Program& program, const Value* value) {
  if (value == nullptr) return nullptr;
  const Value& own = value->original == nullptr ? *value : *value->original;
  return own.producer ? &program.steps[*own.producer] : nullptr;
}

std::int64_t elements(const Value& value) { return value.shape ? element_count(*value.shape) : 0; }

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

bool is(const Step* step, std::string_view op) {
  return step != nullptr && !step->inputs.empty() && step->node.domain().empty() &&
         step->node.op_type() == op;
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

void set_scales(PackedWeights& packed, const Value& weights, const Value& scales) {
  const std::int64_t count = elements(scales);
  if (count <= 1 || !weights.shape || weights.shape->empty()) return;
  const std::int64_t length = weights.shape->back();
  const bool of_blocks =
      weights.shape->size() > 2 && length > 1 && count == elements(weights) / length;
  packed.block = of_blocks ? length : 0;
  packed.per_column = !of_blocks;
}

/// Whether a Sub of `points` changes what products need: numbers that are the same for all are a
/// middle of the range.
bool are_zero_points(const Value& points) { return elements(points) > 1; }

void collect_sources(const Program& program, const Value& value, std::set<const Value*>& found,
                     std::set<const Value*>& visited) {
  const Value& own = value.original == nullptr ? value : *value.original;
  if (!visited.insert(&own).second) return;
  const Step* const step = maker(program, &own);
  if (step == nullptr) {
    found.insert(&own);
    return;
  }
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

/// The type of the integers (or narrow floats) `value`; of those that the model unpacks by shifts,
/// the one of as many bits as are stored for each.
std::optional<PackedType> stored_type(const Program& program, const Value& value) {
  std::int64_t most = 0;
  for (const Value* source : sources_of(program, value)) {
    most = std::max(most, elements(*source) * type_bits(source->type));
  }
  const std::int64_t own = elements(value);
  if (own == 0 || most >= own * type_bits(value.type)) return packed_type(value.type);
  if (most == 4 * own) return PackedType::uint4;
  if (most == 2 * own) return PackedType::uint2;
  return std::nullopt;
}

}  // namespace

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
    set_scales(packed, *weights, *beside);
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
    bits += elements(*source) * type_bits(source->type);
    largest = std::max(largest, elements(*source));
  }
  // Others are filled, or repeated.
  const bool holds_all = bits >= own && largest * most_in_an_element >= own;
  return holds_all && bits < own * bits_of_others ? found : std::set<const Value*>{};
}

}  // namespace benanza::onnx
