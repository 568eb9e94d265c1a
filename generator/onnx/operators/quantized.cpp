#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"
#include "generator/onnx/operators/shared/sliding_window.h"
#include "generator/onnx/read/composition.h"

/// Integer arithmetic: the problems of the floating-point operators, to be measured at int8. Scales
/// are part of such a call. A zero point of the data adds a constant per filter or column, which is
/// folded into the bias when the model is loaded; one of the weights needs sums of the data in
/// every run. Unsigned weights equal signed ones with another zero point; unsigned data are part of
/// the problem.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> quantize_shape(const NodeView& node) {
  int type =
      node.has_input(2) ? node.input(2).type : static_cast<int>(node.integer("output_dtype", 0));
  if (type == 0) type = ::onnx::TensorProto::UINT8;
  return {{type, node.input(0).shape}};
}

/// The scale has the type of the result.
std::vector<TensorFacts> dequantize_shape(const NodeView& node) {
  const auto stated = static_cast<int>(node.integer("output_dtype", 0));
  return {{stated != 0 ? stated : node.input(1).type, node.input(0).shape}};
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, ...
std::vector<TensorFacts> quantized_binary_shape(const NodeView& node) {
  return {{node.input(0).type, broadcast_dims(node.shape(0), node.shape(3))}};
}

/// Inputs: A, its scale and zero point, B, its scale and zero point, C, the result's scale and zero
/// point. Without the latter the result is floating-point.
std::vector<TensorFacts> quantized_gemm_shape(const NodeView& node) {
  const Dims& a = node.shape(0);
  const Dims& b = node.shape(3);
  if (a.size() != 2 || b.size() != 2) throw Error("A and B need two axes each");
  return {{node.has_input(7) ? node.input(0).type : node.input(1).type,
           Dims{a[node.flag("transA") ? 1 : 0], b[node.flag("transB") ? 0 : 1]}}};
}

/// Inputs: the result's scale and zero point, then each part with its own.
std::vector<TensorFacts> quantized_concat_shape(const NodeView& node) {
  Dims dims = node.shape(2);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), dims.size()));
  for (std::size_t index = 5; index < node.input_count(); index += 3) {
    const Dims& part = node.shape(index);
    if (part.size() != dims.size()) throw Error("parts of other axes");
    dims[axis] = checked_sum(dims[axis], part[axis]);
  }
  return {{node.input(2).type, dims}};
}

std::vector<TensorFacts> dynamic_quantize_matmul_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  Dims weights = node.shape(1);
  if (dims.empty() || weights.size() < 2) throw NotExpressible("products of vectors");
  const std::int64_t columns = weights.back();
  if (weights.size() > 2) {
    if (dims.size() < 2) throw NotExpressible("products of vectors");
    const std::int64_t rows = dims.end()[-2];
    dims.resize(dims.size() - 2);
    weights.resize(weights.size() - 2);
    dims = broadcast_dims(dims, weights);
    dims.push_back(rows);
    dims.push_back(columns);
  } else {
    dims.back() = columns;
  }
  return {{node.input(0).type, dims}};
}

/// The result has the type of the scales.
std::vector<TensorFacts> matmul_integer_to_float_shape(const NodeView& node) {
  return {{node.input(2).type, dynamic_quantize_matmul_shape(node)[0].shape}};
}

/// Inputs: A, its zero point, B, its zero point.
std::vector<TensorFacts> mul_integer_shape(const NodeView& node) {
  return {{::onnx::TensorProto::INT32, broadcast_dims(node.shape(0), node.shape(2))}};
}

bool is_byte(int type) {
  return type == ::onnx::TensorProto::INT8 || type == ::onnx::TensorProto::UINT8;
}

Lowered in_bytes(const NodeView& node, std::vector<Call> calls,
                 std::initializer_list<std::size_t> data) {
  for (const std::size_t index : data) {
    if (!is_byte(node.input(index).type)) {
      throw NotExpressible("quantized " + type_name(node.input(index).type));
    }
  }
  Lowered lowered = measured(std::move(calls), Types::checked_by_lowering);
  lowered.precision = to_string(Precision::int8);
  return lowered;
}

/// Whether the zero points of input `index` are known to be of no consequence (costs_nothing()) for
/// input `data`; 0 if omitted.
bool is_symmetric(const NodeView& node, std::size_t data, std::size_t index, bool of_first) {
  const bool is_unsigned = node.input(data).type == ::onnx::TensorProto::UINT8;
  if (!node.has_input(index)) return costs_nothing(0, is_unsigned, of_first);
  if (!node.input(index).literal) return false;
  return std::ranges::all_of(node.integers(index), [&](std::int64_t point) {
    return costs_nothing(point, is_unsigned, of_first);
  });
}

/// Input `point` has the zero points of the product's weights, which are input `weights`;
/// `data_point` those of input 0. With constant weights, these are folded into a bias. A zero point
/// that is omitted makes the sums of ones that are all the same.
std::vector<Call> with_zero_points(const NodeView& node, Call product, std::size_t weights,
                                   std::size_t point, std::optional<std::size_t> data_point = {}) {
  ZeroPoints points;
  const auto source = [&](std::size_t index) {
    if (node.has_input(index)) return from_input(index);
    Source ones = from_attribute(Source::stated);
    ones.numbers = {1};
    return ones;
  };
  if (!is_symmetric(node, weights, point, false)) points.second = source(point);
  if (data_point && !node.input(weights).constant && !is_symmetric(node, 0, *data_point, true)) {
    points.first = source(*data_point);
  }
  return with_sums_of_data(std::move(product), points);
}

/// Inputs: x, its scale and zero point, w, its scale and zero point, the result's, a bias.
Lowered lower_qlinear_conv(const NodeView& node) {
  const bool last = has_channels_last(node);
  Call product =
      convolution_call(node, {0, 3}, image_with_channels_second(node, last), node.shape(3));
  if (node.has_input(8)) {
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(8));
  }
  Lowered lowered = in_bytes(node, with_zero_points(node, std::move(product), 3, 5), {0, 3});
  return last ? of_channels_last(node, std::move(lowered)) : lowered;
}

/// As convolutions of ONNX's own domain; the type is that of the result's zero point.
std::vector<TensorFacts> microsoft_qlinear_conv_shape(const NodeView& node) {
  const bool last = has_channels_last(node);
  const Dims input = last ? channels_second(node.shape(0)) : node.shape(0);
  const Dims& weights = node.shape(3);
  if (input.size() < 3 || weights.size() != input.size()) {
    throw Error("weights of " + join(weights, 'x') + " for images of " + join(input, 'x'));
  }
  const Dims windows =
      sliding_window(node, spatial(input), spatial(weights)).window.output(spatial(input));
  Dims made{input[0], weights[0]};
  made.insert(made.end(), windows.begin(), windows.end());
  return {{node.input(7).type, last ? channels_last(made) : made}};
}

Lowered lower_conv_integer(const NodeView& node) {
  return in_bytes(node, with_zero_points(node, convolution_call(node, {0, 1}), 1, 3), {0, 1});
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, the result's.
Lowered lower_qlinear_matmul(const NodeView& node) {
  return in_bytes(node, with_zero_points(node, matmul_call(node, {0, 3}), 3, 5, 2), {0, 3});
}

Lowered lower_matmul_integer(const NodeView& node) {
  return in_bytes(node, with_zero_points(node, matmul_call(node, {0, 1}), 1, 3, 2), {0, 1});
}

/// Inputs: A, B, their scales and zero points, a bias. The scales are part of the call.
Lowered lower_matmul_integer_to_float(const NodeView& node) {
  Call product = matmul_call(node, {0, 1});
  if (node.has_input(6)) {
    if (node.shape(6) != Dims{std::get<Gemm>(product.problem.shape).n}) {
      throw NotExpressible("a bias of other than one value per column");
    }
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(6));
  }
  return in_bytes(node, with_zero_points(node, std::move(product), 1, 5, 4), {0, 1});
}

/// Inputs: a in floats, b, its scale and zero point, a bias. The scale of a, then the product.
Composition compose_dynamic_quantize_matmul() {
  Composition made =
      composed("DynamicQuantizeMatMul", 3, {"a", "b", "b_scale", "b_point", "bias"}, {"y"});
  add_part(made, "DynamicQuantizeLinear", "", {"a"}, {"bytes", "a_scale", "a_point"});
  add_part(made, "MatMulIntegerToFloat", "com.microsoft",
           {"bytes", "b", "a_scale", "b_scale", "a_point", "b_point", "bias"}, {"y"});
  return made;
}

/// Inputs of lower_qlinear_matmul(), with a bias before the result's scale.
Lowered lower_quantized_gemm(const NodeView& node) {
  Call product = matmul_call(node, {0, 3}, node.flag("transA"), node.flag("transB"));
  if (node.has_input(6)) {
    const Dims columns{std::get<Gemm>(product.problem.shape).n};
    if (node.shape(6) != columns) throw NotExpressible("a bias of other than one value per column");
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(6));
  }
  return in_bytes(node, with_zero_points(node, std::move(product), 3, 5, 2), {0, 3});
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, the result's.
template <BinaryKind kind>
Lowered lower_quantized_binary(const NodeView& node) {
  return in_bytes(node, {elementwise_call(kind, operand_of(node, 0), operand_of(node, 3))}, {0, 3});
}

/// Inputs: the result's scale and zero point, then each part with its own.
Lowered lower_quantized_concat(const NodeView& node) {
  Concat shape;
  shape.axis = NodeView::axis(node.integer("axis", 0), node.shape(2).size());
  std::vector<Source> operands;
  for (std::size_t index = 2; index < node.input_count(); index += 3) {
    if (!is_byte(node.input(index).type)) {
      throw NotExpressible("quantized " + type_name(node.input(index).type));
    }
    if (!node.has_input(index + 1)) throw Error("a part without a scale");
    if (index + 2 < node.input_count() && !node.has_input(index + 2)) {
      throw Error("a part without a zero point");
    }
    if (element_count(node.shape(index)) == 0) continue;
    shape.parts.push_back(node.shape(index));
    operands.push_back(from_input(index));
  }
  // Of a single part, all bytes are read and written at a new scale.
  Lowered lowered =
      shape.parts.size() == 1
          ? movement({proxy_copy(node, element_count(shape.parts.front()), operands.front().index)})
          : movement({call(std::move(shape), std::move(operands))});
  lowered.types = Types::checked_by_lowering;
  lowered.precision = to_string(Precision::int8);
  return lowered;
}

/// The largest and the least element give the scale, with which all are converted.
Lowered lower_dynamic_quantize(const NodeView& node) {
  const Dims dims = node.extents(0);
  const auto extreme = [&](ReductionKind kind) {
    return call(Reduction{.kind = kind, .input = dims, .axes = all_axes(dims.size())},
                {from_input(0)});
  };
  return measured(
      {extreme(ReductionKind::max), extreme(ReductionKind::min),
       call(Quantization{.kind = QuantizationKind::quantize, .input = dims}, {from_input(0)})},
      Types::checked_by_lowering);
}

/// Sums of 32 bits times their scales: measured as floats of the run's precision.
Lowered lower_dequantized_sums(const NodeView& node) {
  const Dims dims = node.extents(0);
  const std::int64_t axis = scale_axis(node, dims);
  Dims scales(dims.size(), 1);
  if (axis >= 0) scales[static_cast<std::size_t>(axis)] = dims[static_cast<std::size_t>(axis)];
  Call product =
      elementwise_call(BinaryKind::mul, {dims, false, from_input(0)}, operand_of(node, 1, scales));
  product.is_proxy = true;
  return measured({std::move(product)}, Types::checked_by_lowering);
}

template <QuantizationKind kind>
Lowered lower_quantization(const NodeView& node) {
  const bool writes = kind == QuantizationKind::quantize;
  const int bytes = writes ? node.output(0).type : node.input(0).type;
  const int reals = writes ? node.input(0).type : node.output(0).type;
  if (!writes && bytes == ::onnx::TensorProto::INT32 && is_floating(reals)) {
    return lower_dequantized_sums(node);
  }
  const bool fp8 = is_float_of_8_bits(bytes);
  if ((!is_byte(bytes) && !fp8) || !is_floating(reals)) {
    throw NotExpressible("quantized " + type_name(bytes) + " of " + type_name(reals));
  }
  Call conversion = call(quantization(node, kind, fp8), {from_input(0)});
  conversion.is_proxy = fp8 && type_name(bytes) != "float8e4m3fn";
  return measured({std::move(conversion)}, Types::checked_by_lowering);
}

/// A conversion that no library has goes through all that it reads and writes.
std::vector<std::size_t> first_place(const NodeView&) { return {0}; }

void register_conversions(OperatorTable& table) {
  const std::vector<std::string_view> of_scales{"axis", "block_size", "output_dtype", "precision",
                                                "saturate"};
  const auto conversion = [&](ShapeRule shape, LowerFunction lower) {
    return Operator{.shapes = {shape},
                    .lower = lower,
                    .reads_whole = first_place,
                    .writes_whole = first_place,
                    .idle_attributes = of_scales,
                    .idle_inputs = {2}};
  };
  constexpr auto quantize = lower_quantization<QuantizationKind::quantize>;
  constexpr auto dequantize = lower_quantization<QuantizationKind::dequantize>;
  table.add("QuantizeLinear", conversion({quantize_shape, 18}, quantize));
  table.add("DequantizeLinear", conversion({dequantize_shape, 18}, dequantize));
  table.add("com.microsoft.QuantizeLinear", conversion({quantize_shape}, quantize));
  table.add("com.microsoft.DequantizeLinear", conversion({dequantize_shape}, dequantize));
}

}  // namespace

// Scales and zero points are part of an integer call.
void register_quantized(OperatorTable& table) {
  table.add("QLinearConv", {.check = check_convolution_weights<3>,
                            .lower = lower_qlinear_conv,
                            .reads_all_constants = true,
                            .idle_inputs = {1, 2, 4, 6, 7}});
  for (const auto* op : {"com.microsoft.QLinearConv", "com.ms.internal.nhwc.QLinearConv"}) {
    table.add(op, {.shapes = {{microsoft_qlinear_conv_shape}},
                   .lower = lower_qlinear_conv,
                   .reads_all_constants = true,
                   .idle_inputs = {1, 2, 4, 6, 7}});
  }
  table.add("ConvInteger", {.check = check_convolution_weights<1>,
                            .lower = lower_conv_integer,
                            .reads_all_constants = true,
                            .idle_inputs = {2}});
  table.add(
      "QLinearMatMul",
      {.lower = lower_qlinear_matmul, .reads_all_constants = true, .idle_inputs = {1, 2, 4, 6, 7}});
  table.add("MatMulInteger",
            {.lower = lower_matmul_integer, .reads_all_constants = true, .idle_inputs = {2}});
  table.add("com.microsoft.QGemm", {.shapes = {{quantized_gemm_shape}},
                                    .lower = lower_quantized_gemm,
                                    .reads_all_constants = true,
                                    .idle_attributes = {"alpha"},
                                    .idle_inputs = {1, 2, 4, 7, 8}});
  register_conversions(table);
  table.add("DynamicQuantizeLinear", {.lower = lower_dynamic_quantize});
  table.add("com.microsoft.DynamicQuantizeMatMul",
            {.shapes = {{dynamic_quantize_matmul_shape}},
             .compose = compose_dynamic_quantize_matmul,
             .unsupported = "it has more than a dynamic quantization and a product",
             .reads_all_constants = true});
  table.add("com.microsoft.MatMulIntegerToFloat", {.shapes = {{matmul_integer_to_float_shape}},
                                                   .lower = lower_matmul_integer_to_float,
                                                   .reads_all_constants = true,
                                                   .idle_inputs = {2, 3, 4}});
  table.add("com.microsoft.MulInteger",
            {.shapes = {{mul_integer_shape}},
             .unsupported = "no library here multiplies bytes into 32-bit integers"});
  table.add("com.microsoft.QLinearAdd", {.shapes = {{quantized_binary_shape}},
                                         .lower = lower_quantized_binary<BinaryKind::add>,
                                         .idle_inputs = {1, 2, 4, 5, 6, 7}});
  table.add("com.microsoft.QLinearMul", {.shapes = {{quantized_binary_shape}},
                                         .lower = lower_quantized_binary<BinaryKind::mul>,
                                         .idle_inputs = {1, 2, 4, 5, 6, 7}});
  table.add("com.microsoft.QLinearConcat", {.shapes = {{quantized_concat_shape}},
                                            .lower = lower_quantized_concat,
                                            .idle_inputs = {0, 1}});
}

}  // namespace benanza::onnx
