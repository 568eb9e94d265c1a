#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/sliding_window.h"

/// The schemas' own inference counts windows that begin behind the input, which frameworks and
/// newer opsets leave out, and knows no dilations of averages.
namespace benanza::onnx::shapes {
namespace {

/// The result, and the positions of maxima.
std::vector<TensorFacts> pool(const Site& site) {
  if (site.node().integer("channels_last", 0) != 0) throw NotExpressible("channels as last axis");
  const Dims& input = site.shape(0);
  const auto kernel = site.node().integers("kernel_shape");
  if (!kernel) throw Error("attribute \"kernel_shape\" is missing");
  if (input.size() < 3) throw Error("an input of " + join(input, 'x') + " has no spatial axes");
  const Dims extents = spatial(input);
  const Dims windows = sliding_window(site.node(), extents, *kernel).window.output(extents);
  Dims dims{input[0], input[1]};
  dims.insert(dims.end(), windows.begin(), windows.end());
  return {{site.input(0).type, dims}, {::onnx::TensorProto::INT64, dims}};
}

std::vector<TensorFacts> global_pool(const Site& site) {
  if (site.node().integer("channels_last", 0) != 0) throw NotExpressible("channels as last axis");
  Dims dims = site.shape(0);
  for (std::size_t axis = 2; axis < dims.size(); ++axis) dims[axis] = 1;
  return {{site.input(0).type, dims}};
}

/// Of a convolution with these weights, whatever is done with its result.
std::vector<TensorFacts> convolution(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims& weights = site.shape(1);
  if (input.size() < 3 || weights.size() != input.size())
    throw Error("weights do not fit the input");
  const Dims extents = spatial(input);
  const Dims windows =
      sliding_window(site.node(), extents, spatial(weights)).window.output(extents);
  Dims dims{input[0], weights[0]};
  dims.insert(dims.end(), windows.begin(), windows.end());
  return {{site.input(0).type, dims}};
}

}  // namespace

void register_pooling(ShapeTable& table) {
  for (const auto* op : {"MaxPool", "AveragePool", "LpPool"}) table.add(op, pool);
  for (const auto* op : {"DeformConv", "com.microsoft.FusedConv", "com.microsoft.nchwc.Conv"}) {
    table.add(op, convolution);
  }
  for (const auto* op : {"MaxPool", "AveragePool"}) {
    table.add(std::string("com.microsoft.nchwc.") + op, pool);
  }
  for (const auto* op : {"GlobalMaxPool", "GlobalAveragePool"}) {
    table.add(std::string("com.microsoft.nchwc.") + op, global_pool);
  }
  table.add("com.microsoft.QLinearGlobalAveragePool", global_pool);
  table.add("com.microsoft.QLinearAveragePool", pool);
}

}  // namespace benanza::onnx::shapes
