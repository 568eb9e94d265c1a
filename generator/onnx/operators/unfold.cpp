#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Windows along one axis, as torch.Tensor.unfold has them: a copy that reads some elements again.
namespace benanza::onnx {
namespace {

struct Windows {
  std::size_t axis = 0;
  std::int64_t size = 1;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

Windows windows_of(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::int64_t axis = NodeView::axis(node.integer("dim", -1), dims.size());
  Windows windows{.axis = static_cast<std::size_t>(axis),
                  .size = node.integer("size", 0),
                  .step = node.integer("step", 1)};
  const std::int64_t extent = dims[windows.axis];
  if (windows.size < 1 || windows.step < 1 || windows.size > extent) {
    throw Error("windows of " + std::to_string(windows.size) + ", " + std::to_string(windows.step) +
                " apart, on an axis of " + std::to_string(extent));
  }
  windows.count = (extent - windows.size) / windows.step + 1;
  return windows;
}

/// The axis counts windows; a new last one, their elements.
std::vector<TensorFacts> unfold_shape(const NodeView& node) {
  const Windows windows = windows_of(node);
  Dims dims = node.shape(0);
  dims[windows.axis] = windows.count;
  dims.push_back(windows.size);
  return {{node.input(0).type, dims}};
}

Lowered lower_unfold(const NodeView& node) {
  const Windows windows = windows_of(node);
  View from{node.output_shape(0), dense_strides(node.shape(0)), 0};
  from.strides.push_back(from.strides[windows.axis]);
  from.strides[windows.axis] *= windows.step;
  return movement({copy_call(from, dense_view(from.dims))});
}

}  // namespace

void register_unfold(OperatorTable& table) {
  table.add("com.microsoft.UnfoldTensor", {.shapes = {{unfold_shape}}, .lower = lower_unfold});
}

}  // namespace benanza::onnx
