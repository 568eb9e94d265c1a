#include "generator/onnx/byte_conversions.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/onnx/operators/shared/quantization.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

constexpr int bits_of_byte = 8;

std::optional<std::int64_t> only_element(const std::vector<std::int64_t>& values) {
  const bool all =
      std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); });
  return !values.empty() && all ? std::optional(values.front()) : std::nullopt;
}

/// The bytes of a tensor of at most 8 bits per element.
std::string bytes_of(const ::onnx::TensorProto& tensor) {
  if (!tensor.raw_data().empty()) return tensor.raw_data();
  std::string bytes;
  for (const std::int32_t element : tensor.int32_data()) {
    bytes.push_back(static_cast<char>(element));
  }
  return bytes;
}

/// Element `index` of `bits` bits, the first ones lowest in a byte.
std::int64_t element(const std::string& bytes, std::int64_t index, int bits, bool is_signed) {
  const std::int64_t each = bits_of_byte / bits;
  const auto whole = static_cast<unsigned char>(bytes[static_cast<std::size_t>(index / each)]);
  const int range = 1 << bits;
  const int value = whole >> (index % each * bits) & (range - 1);
  return is_signed && value >= range / 2 ? value - range : value;
}

/// The only element of input `index`, if the model contains it.
std::optional<double> known_number(const Step& step, std::size_t index) {
  if (index >= step.inputs.size() || step.inputs[index] == nullptr) return std::nullopt;
  const auto& literal = step.inputs[index]->literal;
  if (!literal) return std::nullopt;
  return std::visit(
      [](const auto& values) {
        return values.size() == 1 ? std::optional(static_cast<double>(values.front()))
                                  : std::nullopt;
      },
      *literal);
}

/// Operators whose result has elements of their first input alone.
bool picks_elements(const Node& node) {
  constexpr std::string_view known[] = {"DepthToSpace", "Expand",       "Gather",
                                        "GatherND",     "Resize",       "Slice",
                                        "Tile",         "SpaceToDepth", "Upsample"};
  return node.domain().empty() && std::ranges::find(known, node.op_type()) != std::end(known);
}

/// A Pad with zeros, or with elements of its input.
bool pads_zeros(const Step& step) {
  if (!step.node.domain().empty() || step.node.op_type() != "Pad") return false;
  if (step.node.text("mode", "constant") != "constant") return true;
  constexpr std::size_t fill = 2;
  constexpr int first_with_input = 11;
  if (step.node.opset() < first_with_input) return step.node.real("value", 0) == 0;
  const bool is_stated = step.inputs.size() > fill && step.inputs[fill] != nullptr;
  return !is_stated || known_number(step, fill) == 0.0;
}

}  // namespace

std::optional<std::int64_t> only_integer(const Value& value) {
  if (value.literal) {
    const auto* values = std::get_if<std::vector<std::int64_t>>(&*value.literal);
    return values == nullptr ? std::nullopt : only_element(*values);
  }
  const int bits = type_bits(value.type);
  const std::string name = type_name(value.type);
  const bool is_signed = name.starts_with("int");
  if (value.stored == nullptr || !value.shape || bits < 1 || bits > bits_of_byte)
    return std::nullopt;
  if (!is_signed && !name.starts_with("uint")) return std::nullopt;
  const std::string bytes = bytes_of(*value.stored);
  // Of large tensors, one byte that stands for all of them is kept.
  const bool is_left_out = value.stored->data_location() == ::onnx::TensorProto::EXTERNAL;
  const std::int64_t count = is_left_out ? bits_of_byte / bits : element_count(*value.shape);
  if (count < 1 || std::ssize(bytes) < (count * bits + bits_of_byte - 1) / bits_of_byte)
    return std::nullopt;
  const std::int64_t first = element(bytes, 0, bits, is_signed);
  for (std::int64_t index = 1; index < count; ++index) {
    if (element(bytes, index, bits, is_signed) != first) return std::nullopt;
  }
  return first;
}

bool is_quantization(const Step& step) {
  if (step.node.op_type() != "QuantizeLinear" || step.outputs.empty()) return false;
  constexpr int byte = 8;
  return step.outputs[0] != nullptr && type_bits(step.outputs[0]->type) == byte;
}
bool is_dequantization(const Step& step) { return step.node.op_type() == "DequantizeLinear"; }

std::optional<Precision> precision_of(const Step& step) {
  const auto packed = packed_by(step);
  if (!packed || packed->block != 0) return std::nullopt;
  const bool is_e4m3 = type_name(step.inputs[0]->type) == "float8e4m3fn";
  if (packed->type == PackedType::fp8 && is_e4m3) return Precision::fp8;
  if (packed->type == PackedType::int8 || packed->type == PackedType::uint8) return Precision::int8;
  return std::nullopt;
}

bool is_asymmetric(const Step& step, bool is_first) {
  if (precision_of(step) == Precision::fp8) return false;
  const bool is_unsigned = step.inputs[0]->type == ::onnx::TensorProto::UINT8;
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) {
    return !costs_nothing(0, is_unsigned, is_first);
  }
  if (const auto point = only_integer(*step.inputs[2])) {
    return !costs_nothing(*point, is_unsigned, is_first);
  }
  const auto& literal = step.inputs[2]->literal;
  const auto* points = literal ? std::get_if<std::vector<std::int64_t>>(&*literal) : nullptr;
  return points == nullptr || !std::ranges::all_of(*points, [&](std::int64_t point) {
           return costs_nothing(point, is_unsigned, is_first);
         });
}

bool moves_elements(const Step& step, const LoweredLayer& layer) {
  if (layer.constant || layer.outputs.size() != 1) return false;
  if (layer.cost != Cost::free && layer.cost != Cost::movement) return false;
  return is_view(step.node) || picks_elements(step.node) || pads_zeros(step);
}

const Source& behind_copies(const LoweredLayer& layer, const Source& source) {
  const Source* shown = &source;
  while (shown->kind == Source::Kind::call && shown->is_whole()) {
    const Call& call = layer.calls[static_cast<std::size_t>(shown->index)];
    const auto* const copy = std::get_if<Copy>(&call.problem.shape);
    if (copy == nullptr || call.is_proxy || call.operands.size() != 1) break;
    if (copy->read_elements() != element_count(copy->inputs()[0].dims)) break;
    shown = &call.operands[0];
  }
  return *shown;
}

bool starts_with_product(const LoweredLayer& layer) {
  return layer.cost == Cost::measured && !layer.calls.empty() &&
         is_product(layer.calls.front().problem);
}

const Activation* function_of(const LoweredLayer& layer) {
  if (layer.cost != Cost::measured || layer.calls.size() != 1) return nullptr;
  return std::get_if<Activation>(&layer.calls.front().problem.shape);
}

bool scales_with_bytes(const Activation& function) {
  return function.kind == ActivationKind::relu || function.kind == ActivationKind::leaky_relu;
}

Activation without_input(Activation function) {
  function.input = {};
  return function;
}

bool keeps_bytes(const Shape& shape) {
  if (const auto* binary = std::get_if<Binary>(&shape)) {
    return binary->kind == BinaryKind::add || binary->kind == BinaryKind::mul;
  }
  if (const auto* function = std::get_if<Activation>(&shape)) {
    return scales_with_bytes(*function) || function->kind == ActivationKind::clip;
  }
  if (const auto* reduction = std::get_if<Reduction>(&shape)) {
    return reduction->kind == ReductionKind::mean;
  }
  return std::holds_alternative<Pooling>(shape) || std::holds_alternative<Concat>(shape) ||
         std::holds_alternative<Copy>(shape);
}

bool makes_integers(const Step& quantization) {
  if (quantization.outputs.empty() || quantization.outputs[0] == nullptr) return false;
  const int type = quantization.outputs[0]->type;
  return type == ::onnx::TensorProto::UINT8 || type == ::onnx::TensorProto::INT8;
}

bool saturates(const Step& quantization, const Activation& function) {
  const bool is_relu = function.kind == ActivationKind::relu;
  if (!is_relu && function.kind != ActivationKind::clip) return false;
  if (!makes_integers(quantization)) return false;
  const bool is_unsigned = quantization.outputs[0]->type == ::onnx::TensorProto::UINT8;
  const bool has_point = quantization.inputs.size() > 2 && quantization.inputs[2] != nullptr;
  const auto point = has_point ? known_number(quantization, 2) : std::optional(0.0);
  if (!point) return false;
  const double least = is_unsigned ? 0 : -128;
  const double most = is_unsigned ? 255 : 127;
  if (is_relu) return *point <= least;
  const auto scale = known_number(quantization, 1);
  if (!scale) return false;
  // As much is lost by rounding.
  const double half = *scale / 2;
  return (least - *point) * *scale >= function.alpha - half &&
         (most - *point) * *scale <= function.beta + half;
}

bool absorb(Call& product, const Call& next, std::size_t place) {
  const auto reads_last = [&](const Source& source) {
    return source.kind == Source::Kind::call && static_cast<std::size_t>(source.index) == place - 1;
  };
  if (const auto* function = std::get_if<Activation>(&next.problem.shape)) {
    if (!scales_with_bytes(*function) || !reads_last(next.operands[0])) return false;
    product.problem = with_step(std::move(product.problem), without_input(*function));
    return true;
  }
  const auto* sum = std::get_if<Binary>(&next.problem.shape);
  if (sum == nullptr || sum->kind != BinaryKind::add || product.problem.epilogue != Epilogue{} ||
      !reads_last(next.operands[0])) {
    return false;
  }
  Problem biased = product.problem;
  biased.epilogue.bias = true;
  const auto bias = bias_operand(biased);
  if (!bias ||
      element_count(inputs(biased)[*bias].dims) != element_count(inputs(next.problem)[1].dims)) {
    return false;
  }
  product.problem = std::move(biased);
  product.operands.push_back(next.operands[1]);
  return true;
}

}  // namespace benanza::onnx
