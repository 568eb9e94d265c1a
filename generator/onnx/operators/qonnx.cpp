#include "generator/onnx/operators/shared/operator.h"

/// Operators that round floats to fewer values and keep them as floats, as tools for training
/// (Brevitas, QONNX) write them: their shapes, so that what follows keeps its own.
namespace benanza::onnx {

void register_qonnx(OperatorTable& table) {
  for (const std::string domain :
       {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"}) {
    for (const auto* op : {"Quant", "IntQuant", "FloatQuant", "BipolarQuant", "Trunc"}) {
      const auto whole = [](const NodeView&) -> std::vector<std::size_t> { return {0}; };
      table.add(domain + '.' + op, {.shapes = {{like_first}},
                                    .unsupported = "no library here rounds floats to fewer values",
                                    .reads_whole = whole,
                                    .writes_whole = whole});
    }
  }
}

}  // namespace benanza::onnx
