#include "generator/onnx/shapes/table.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::shapes {
namespace {

/// Axes are an input from opset 18.
std::vector<TensorFacts> reduce(const Site& site) {
  const Dims& dims = site.shape(0);
  const bool keeps = site.node().integer("keepdims", 1) != 0;
  if (site.has_input(1) && !site.input(1).literal) {
    // Which axes is not known, how many may be.
    return {{site.input(0).type, {}}};
  }
  std::vector<bool> reduced(dims.size(), false);
  for (const std::int64_t axis : reduced_axes(site)) reduced[static_cast<std::size_t>(axis)] = true;
  Dims result;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!reduced[axis]) {
      result.push_back(dims[axis]);
    } else if (keeps) {
      result.push_back(1);
    }
  }
  return {{site.input(0).type, result}};
}

}  // namespace

void register_reduce(ShapeTable& table) {
  for (const auto* op :
       {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
        "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
    table.add(op, reduce, 18);
  }
}

}  // namespace benanza::onnx::shapes
