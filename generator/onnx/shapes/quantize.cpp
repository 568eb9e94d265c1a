#include <onnx/onnx_pb.h>

#include "generator/onnx/shapes/table.h"

namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> quantize(const Site& site) {
  int type = site.has_input(2) ? site.input(2).type
                               : static_cast<int>(site.node().integer("output_dtype", 0));
  if (type == 0) type = ::onnx::TensorProto::UINT8;
  return {{type, site.input(0).shape}};
}

/// The scale has the type of the result.
std::vector<TensorFacts> dequantize(const Site& site) {
  const auto stated = static_cast<int>(site.node().integer("output_dtype", 0));
  return {{stated != 0 ? stated : site.input(1).type, site.input(0).shape}};
}

/// Arithmetic on quantized tensors: a, its scale and zero point, b, its scale and zero point, ...
std::vector<TensorFacts> quantized_binary(const Site& site) {
  return {{site.input(0).type, broadcast_dims(site.shape(0), site.shape(3))}};
}

}  // namespace

void register_quantize(ShapeTable& table) {
  table.add("QuantizeLinear", quantize, 18);
  table.add("DequantizeLinear", dequantize, 18);
  table.add("com.microsoft.QuantizeLinear", quantize);
  table.add("com.microsoft.DequantizeLinear", dequantize);
  table.add("com.microsoft.QLinearAdd", quantized_binary);
  table.add("com.microsoft.QLinearMul", quantized_binary);
}

}  // namespace benanza::onnx::shapes
