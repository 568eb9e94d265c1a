#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Input (n, c, spatial...), grid (n, positions..., coordinates).
std::vector<TensorFacts> grid_sample_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& grid = node.shape(1);
  if (input.size() < 3 || grid.size() != input.size()) throw Error("input and grid do not fit");
  Dims dims{input[0], input[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  return {{node.input(0).type, dims}};
}

/// Of the input no more pixels than a result takes from it: one, or two or four along each axis.
std::vector<PartRead> pixels_sampled(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& made = node.output_shape(0);
  if (input.empty() || made.size() != input.size()) throw NotExpressible("images of other axes");
  const std::string mode = node.text("mode", "linear");
  std::int64_t pixels = input[0];
  std::int64_t taken = made[0];
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    pixels *= input[axis];
    taken *= made[axis] * (mode == "nearest" ? 1 : mode.ends_with("cubic") ? 4 : 2);
  }
  return {{.input = 0, .most = std::min(pixels, taken), .of = pixels}};
}

/// Theta (n, 2, 3) or (n, 3, 4), and the size (n, c, spatial...).
std::vector<TensorFacts> affine_grid_shape(const NodeView& node) {
  const Dims size = node.integers(1);
  if (size.size() < 3) throw Error("a size needs at least three values");
  Dims dims{size[0]};
  dims.insert(dims.end(), size.begin() + 2, size.end());
  dims.push_back(static_cast<std::int64_t>(size.size()) - 2);
  return {{node.input(0).type, dims}};
}

/// Columns (n, c * taps, positions) to an image of the stated extents.
std::vector<TensorFacts> col2im_shape(const NodeView& node) {
  const Dims& columns = node.shape(0);
  const Dims image = node.integers(1);
  const std::int64_t taps = checked_element_count(node.integers(2)).value_or(0);
  if (columns.size() != 3 || taps < 1) throw Error("columns need three axes and a window");
  Dims dims{columns[0], columns[1] / taps};
  dims.insert(dims.end(), image.begin(), image.end());
  return {{node.input(0).type, dims}};
}

}  // namespace

void register_sampling(OperatorTable& table) {
  for (const auto* op : {"GridSample", "com.microsoft.GridSample"}) {
    table.add(op, {.shapes = {{grid_sample_shape}},
                   .parts = pixels_sampled,
                   .unsupported = "no library here samples at arbitrary points"});
  }
  table.add("AffineGrid", {.shapes = {{affine_grid_shape}},
                           .unsupported = "no library here makes sampling grids"});
  table.add("Col2Im",
            {.shapes = {{col2im_shape}}, .unsupported = "no library here adds overlapping blocks"});
}

}  // namespace benanza::onnx
