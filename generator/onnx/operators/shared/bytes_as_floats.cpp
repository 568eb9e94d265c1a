#include "generator/onnx/operators/shared/bytes_as_floats.h"

#include <onnx/onnx_pb.h>

#include <utility>

#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {

Source dequantized(const NodeView& node, std::size_t index, std::vector<Call>& calls) {
  const int type = node.input(index).type;
  if (type != ::onnx::TensorProto::INT8 && type != ::onnx::TensorProto::UINT8) {
    throw NotExpressible("quantized " + type_name(type));
  }
  if (node.elements(index + 1) != 1) throw NotExpressible("a scale for each channel");
  calls.push_back(
      call(Quantization{.kind = QuantizationKind::dequantize, .input = node.extents(index)},
           {from_input(static_cast<int>(index))}));
  return last_result(calls);
}

Lowered quantized(std::vector<Call> calls) {
  calls.push_back(
      call(Quantization{.kind = QuantizationKind::quantize, .input = output(calls.back().problem)},
           {last_result(calls)}));
  Lowered lowered = measured(std::move(calls));
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

}  // namespace benanza::onnx
