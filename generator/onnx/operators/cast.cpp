#include <onnx/onnx_pb.h>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/problem/ops/quantization.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// `value` rounded to `digits` significant bits; below 2^least, to a multiple of
/// 2^(least - digits + 1).
double rounded(double value, int digits, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int shift = digits - 1 - std::max(std::ilogb(value), least);
  return std::ldexp(std::nearbyint(std::ldexp(value, shift)), -shift);
}

double rounded(double value, int type) {
  if (type == ::onnx::TensorProto::DOUBLE) return value;
  value = static_cast<float>(value);
  if (type == ::onnx::TensorProto::BFLOAT16) return rounded(value, 8, -126);
  if (type != ::onnx::TensorProto::FLOAT16) return value;
  value = rounded(value, 11, -14);
  return std::abs(value) > 65504 ? std::copysign(HUGE_VAL, value) : value;
}

std::vector<Literal> fold_cast(const NodeView& node) {
  const int type = node.output(0).type;
  return {std::visit(
      [&](const auto& values) -> Literal {
        if (is_floating(type)) {
          std::vector<double> reals(values.begin(), values.end());
          for (double& value : reals) value = rounded(value, type);
          return reals;
        }
        Dims integers;
        for (const auto value : values) {
          const auto real = static_cast<double>(value);
          if (type == ::onnx::TensorProto::BOOL) {
            integers.push_back(value != 0);
          } else if (node.input(0).type == type || std::abs(real) <= 0x1p62) {
            integers.push_back(static_cast<std::int64_t>(value));
          } else {
            throw NotExpressible("a value that not every integer type holds");
          }
        }
        return integers;
      },
      node.literal(0))};
}

/// Before opset 6, the type is given by name.
std::vector<TensorFacts> cast_by_name_shape(const NodeView& node) {
  ::onnx::TensorProto_DataType type = ::onnx::TensorProto::UNDEFINED;
  const std::string name = node.text("to", "");
  if (!::onnx::TensorProto_DataType_Parse(name, &type)) throw Error("no type is called " + name);
  return {{type, node.input(0).shape}};
}

std::vector<TensorFacts> cast_shape(const NodeView& node) {
  return {{static_cast<int>(node.integer("to", 0)), node.input(0).shape}};
}

std::vector<TensorFacts> cast_like_shape(const NodeView& node) {
  return {{node.input(1).type, node.input(0).shape}};
}

/// Whether `type` is one of 8 bits that conversions of quantized tensors read and write.
bool has_conversions(int type) {
  const std::string name = type_name(type);
  return name == "int8" || name == "uint8" || is_float_of_8_bits(type);
}

/// Between 8 bits and floats: the conversions of quantized tensors, with a scale of 1.
Lowered lower_cast_of_bytes(const NodeView& node, QuantizationKind kind, int bytes) {
  Call conversion =
      call(Quantization{.kind = kind, .input = node.extents(0), .fp8 = is_float_of_8_bits(bytes)},
           {from_input(0)});
  conversion.is_proxy = true;
  return measured({std::move(conversion)}, Types::checked_by_lowering);
}

/// Only the type changes: measured as a copy, at the precision of the variant.
Lowered lower_cast(const NodeView& node) {
  const int from = node.input(0).type;
  const int to = node.output(0).type;
  if (from == to) return free_layer("the same tensor by another name");
  if (type_bytes(from) == 0 || type_bytes(to) == 0) {
    throw NotExpressible("a conversion from " + type_name(from) + " to " + type_name(to));
  }
  if (has_conversions(from) && is_floating(to)) {
    return lower_cast_of_bytes(node, QuantizationKind::dequantize, from);
  }
  if (is_floating(from) && has_conversions(to)) {
    return lower_cast_of_bytes(node, QuantizationKind::quantize, to);
  }
  return movement({proxy_copy(node, element_count(node.shape(0)))});
}

Lowered lower_bit_cast(const NodeView&) {
  return free_layer("the same elements in the same order");
}

}  // namespace

void register_cast(OperatorTable& table) {
  table.add("Cast", {.shapes = {{cast_by_name_shape, 1, 5}, {cast_shape, 18}},
                     .fold = fold_cast,
                     .lower = lower_cast,
                     .idle_attributes = {"to", "saturate", "round_mode"}});
  table.add("CastLike", {.shapes = {{cast_like_shape, 18}},
                         .fold = fold_cast,
                         .fold_needs = FoldNeeds::first_value,
                         .lower = lower_cast,
                         .idle_attributes = {"saturate", "round_mode"},
                         .idle_inputs = {1}});
  table.add("BitCast", {.shapes = {{cast_shape, 18}}, .lower = lower_bit_cast});
}

}  // namespace benanza::onnx
