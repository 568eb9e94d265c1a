#include <algorithm>
#include <type_traits>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

Dims pads_of_all_axes(const NodeView& pad) {
  const std::size_t rank = pad.shape(0).size();
  // Before opset 2 the attribute had another name.
  const Dims stated = pad.integers("paddings").value_or(pad.argument("pads", 1).value_or(Dims{}));
  const Dims axes = pad.has_input(3) ? pad.integers(3) : all_axes(rank);
  if (stated.size() != 2 * axes.size()) {
    throw Error("pads [" + join(stated, ',') + "] need " + std::to_string(2 * axes.size()) +
                " values");
  }
  for (const std::int64_t pad : stated) {
    if (pad < -max_tensor_elements || pad > max_tensor_elements) {
      throw Error("pads [" + join(stated, ',') + "] are more than any tensor has elements");
    }
  }
  Dims pads(2 * rank, 0);
  for (std::size_t index = 0; index < axes.size(); ++index) {
    const std::size_t axis = at(NodeView::axis(axes[index], rank));
    pads[axis] = stated[index];
    pads[axis + rank] = stated[index + axes.size()];
  }
  return pads;
}

std::vector<TensorFacts> pad_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  const Dims pads = pads_of_all_axes(node);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    dims[axis] += pads[axis] + pads[axis + dims.size()];
  }
  return {{node.input(0).type, dims}};
}

/// The input, cropped or padded around its centre.
std::vector<TensorFacts> center_crop_pad_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  const Dims target = node.integers(1);
  const auto axes = node.integers("axes");
  for (std::size_t index = 0; index < target.size(); ++index) {
    const auto axis =
        axes ? NodeView::axis(axes->at(index), dims.size()) : static_cast<std::int64_t>(index);
    dims.at(static_cast<std::size_t>(axis)) = target[index];
  }
  return {{node.input(0).type, dims}};
}

/// Constant padding of a constant.
std::vector<Literal> fold_pad(const NodeView& node) {
  if (node.text("mode", "constant") != "constant") throw NotExpressible("another mode");
  const Dims& dims = node.shape(0);
  const Dims pads = pads_of_all_axes(node);
  const Dims& out = node.output_shape(0);
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  const bool has_attribute = node.opset() < 11 && node.node().domain().empty();
  const double fill = has_attribute ? node.real("value", 0) : node.scalar(2, 0);
  return {std::visit(
      [&](const auto& values) -> Literal {
        using Values = std::decay_t<decltype(values)>;
        Values padded(at(element_count(out)));
        if constexpr (std::is_integral_v<typename Values::value_type>) {
          std::ranges::fill(padded, whole(fill));
        } else {
          std::ranges::fill(padded, fill);
        }
        for (std::size_t flat = 0; flat < padded.size(); ++flat) {
          std::int64_t offset = 0;
          bool inside = true;
          for (std::size_t axis = 0; axis < out.size(); ++axis) {
            const std::int64_t index =
                static_cast<std::int64_t>(flat) / out_strides[axis] % out[axis] - pads[axis];
            inside = inside && index >= 0 && index < dims[axis];
            offset += index * strides[axis];
          }
          if (inside) padded[flat] = values[at(offset)];
        }
        return padded;
      },
      node.literal(0))};
}

/// Copies the input into the middle of the output. Filling the border, with a constant or with
/// elements of the input (reflected ones, say), is not counted. Negative pads crop.
Lowered lower_pad(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims pads = pads_of_all_axes(node);
  if (std::ranges::all_of(pads, [](std::int64_t value) { return value == 0; })) {
    return free_layer("pads nothing");
  }
  View from = dense_view(input);
  View to = dense_view(node.output_shape(0));
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const std::int64_t begin = pads[axis];
    const std::int64_t end = pads[axis + input.size()];
    from.offset += std::max<std::int64_t>(0, -begin) * from.strides[axis];
    to.offset += std::max<std::int64_t>(0, begin) * to.strides[axis];
    from.dims[axis] += std::min<std::int64_t>(0, begin) + std::min<std::int64_t>(0, end);
    if (from.dims[axis] < 1) throw NotExpressible("pads that leave nothing of the input");
  }
  Call copy = copy_call(from, to);
  copy.is_proxy = node.text("mode", "constant") != "constant";
  return movement({std::move(copy)});
}

}  // namespace

void register_pad(OperatorTable& table) {
  table.add("Pad", {.shapes = {{pad_shape, 1, 1}, {pad_shape, 18}},
                    .fold = fold_pad,
                    .lower = lower_pad,
                    .idle_attributes = {"value"},
                    .idle_inputs = {2}});
  table.add("com.microsoft.Pad",
            {.shapes = {{pad_shape}}, .fold = fold_pad, .lower = lower_pad, .idle_inputs = {2}});
  table.add("CenterCropPad",
            {.shapes = {{center_crop_pad_shape}},
             .unsupported = "no library here crops some axes and pads others in one call"});
}

}  // namespace benanza::onnx
