#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/product.h"
#include "generator/onnx/sliding_window.h"

/// Integer arithmetic: the problems of the floating operators, to be measured at int8. Scales are
/// part of such a call. A zero point of the data is a constant per filter or column, which goes
/// into the bias when the model is loaded; one of the weights would need the data's sums at every
/// run. Unsigned data are signed data with another zero point.
namespace benanza::onnx::lower {
namespace {

bool is_byte(int type) {
  return type == ::onnx::TensorProto::INT8 || type == ::onnx::TensorProto::UINT8;
}

Lowered in_bytes(const Site& site, std::vector<Call> calls,
                 std::initializer_list<std::size_t> data) {
  for (const std::size_t index : data) {
    if (!is_byte(site.input(index).type)) {
      throw NotExpressible("quantized " + type_name(site.input(index).type));
    }
  }
  Lowered lowered = measured(std::move(calls));
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

/// Throws NotExpressible if the zero point is not known, or is not the middle of the type's range.
void check_symmetric(const Site& site, std::size_t index) {
  if (!site.has_input(index)) return;
  const Dims points = site.integers(index);
  const std::int64_t middle = site.input(index).type == ::onnx::TensorProto::UINT8 ? 128 : 0;
  for (const std::int64_t point : points) {
    if (point != middle) throw NotExpressible("weights with a zero point of their own");
  }
}

/// Inputs: x, its scale and zero point, w, its scale and zero point, the result's, a bias.
Lowered qlinear_conv(const Site& site) {
  check_symmetric(site, 5);
  Call product = convolution_call(site, {0, 3});
  if (site.has_input(8)) {
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(8));
  }
  return in_bytes(site, {product}, {0, 3});
}

Lowered conv_integer(const Site& site) {
  check_symmetric(site, 3);
  return in_bytes(site, {convolution_call(site, {0, 1})}, {0, 1});
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, the result's.
Lowered qlinear_matmul(const Site& site) {
  check_symmetric(site, 5);
  return in_bytes(site, {matmul_call(site, {0, 3})}, {0, 3});
}

Lowered matmul_integer(const Site& site) {
  check_symmetric(site, 3);
  return in_bytes(site, {matmul_call(site, {0, 1})}, {0, 1});
}

/// Inputs as of qlinear_matmul, with a bias before the result's scale.
Lowered quantized_gemm(const Site& site) {
  check_symmetric(site, 5);
  Call product = matmul_call(site, {0, 3}, site.node().integer("transA", 0) != 0,
                             site.node().integer("transB", 0) != 0);
  if (site.has_input(6)) {
    const Dims columns{std::get<Gemm>(product.problem.shape).n};
    if (site.shape(6) != columns) throw NotExpressible("a bias of other than one value per column");
    product.problem.epilogue.bias = true;
    product.operands.push_back(from_input(6));
  }
  return in_bytes(site, {product}, {0, 3});
}

/// The axis of the scales, -1 where there is one scale.
std::int64_t scale_axis(const Site& site, const Dims& dims) {
  if (element_count(site.shape(1)) == 1) return -1;
  const std::int64_t axis = Site::axis(site.node().integer("axis", 1), dims.size());
  if (site.shape(1) != Dims{dims[static_cast<std::size_t>(axis)]}) {
    throw NotExpressible("scales of blocks");
  }
  return axis;
}

template <QuantizationKind kind>
Lowered quantization(const Site& site) {
  const bool writes = kind == QuantizationKind::quantize;
  const int bytes = writes ? site.output(0).type : site.input(0).type;
  const int reals = writes ? site.input(0).type : site.output(0).type;
  if (!is_byte(bytes) || !is_floating(reals)) {
    throw NotExpressible("quantized " + type_name(bytes) + " of " + type_name(reals));
  }
  const Dims dims = site.extents(0);
  Lowered lowered = measured({call(
      Quantization{.kind = kind, .input = dims, .axis = scale_axis(site, dims)}, {from_input(0)})});
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

}  // namespace

void register_quantized(LoweringTable& table) {
  table.add("QLinearConv", qlinear_conv);
  table.add("ConvInteger", conv_integer);
  table.add("QLinearMatMul", qlinear_matmul);
  table.add("MatMulInteger", matmul_integer);
  table.add("com.microsoft.QGemm", quantized_gemm);
  table.add("QuantizeLinear", quantization<QuantizationKind::quantize>);
  table.add("DequantizeLinear", quantization<QuantizationKind::dequantize>);
}

}  // namespace benanza::onnx::lower
