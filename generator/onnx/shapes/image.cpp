#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"

namespace benanza::onnx::shapes {
namespace {

/// Input n, c, spatial...; grid n, positions..., coordinates.
std::vector<TensorFacts> grid_sample(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims& grid = site.shape(1);
  if (input.size() < 3 || grid.size() != input.size()) throw Error("input and grid do not fit");
  Dims dims{input[0], input[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  return {{site.input(0).type, dims}};
}

/// Theta n x 2 x 3 (n x 3 x 4) and the size n, c, spatial....
std::vector<TensorFacts> affine_grid(const Site& site) {
  const Dims size = site.integers(1);
  if (size.size() < 3) throw Error("a size needs at least three values");
  Dims dims{size[0]};
  dims.insert(dims.end(), size.begin() + 2, size.end());
  dims.push_back(static_cast<std::int64_t>(size.size()) - 2);
  return {{site.input(0).type, dims}};
}

/// Columns (n, c * taps, positions) to an image of the stated extents.
std::vector<TensorFacts> col2im(const Site& site) {
  const Dims& columns = site.shape(0);
  const Dims image = site.integers(1);
  const std::int64_t taps = checked_element_count(site.integers(2)).value_or(0);
  if (columns.size() != 3 || taps < 1) throw Error("columns need three axes and a window");
  Dims dims{columns[0], columns[1] / taps};
  dims.insert(dims.end(), image.begin(), image.end());
  return {{site.input(0).type, dims}};
}

}  // namespace

void register_image(ShapeTable& table) {
  table.add("GridSample", grid_sample);
  table.add("com.microsoft.GridSample", grid_sample);
  table.add("AffineGrid", affine_grid);
  table.add("Col2Im", col2im);
}

}  // namespace benanza::onnx::shapes
