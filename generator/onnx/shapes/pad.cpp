#include "generator/onnx/shapes/table.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> pad(const Site& site) {
  Dims dims = site.shape(0);
  const Dims pads = pads_of_all_axes(site);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    dims[axis] += pads[axis] + pads[axis + dims.size()];
  }
  return {{site.input(0).type, dims}};
}

/// The centre of the input, or the input in the centre.
std::vector<TensorFacts> center_crop_pad(const Site& site) {
  Dims dims = site.shape(0);
  const Dims target = site.integers(1);
  const auto axes = site.node().integers("axes");
  for (std::size_t index = 0; index < target.size(); ++index) {
    const auto axis =
        axes ? Site::axis(axes->at(index), dims.size()) : static_cast<std::int64_t>(index);
    dims.at(static_cast<std::size_t>(axis)) = target[index];
  }
  return {{site.input(0).type, dims}};
}

}  // namespace

void register_pad(ShapeTable& table) {
  table.add("Pad", pad, 18);
  table.add("CenterCropPad", center_crop_pad);
}

}  // namespace benanza::onnx::shapes
