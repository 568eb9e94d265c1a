#include "core/base/error.h"
#include "generator/onnx/filter_bias.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/sliding_window.h"

namespace benanza::onnx::lower {
namespace {

Lowered conv_transpose(const Site& site) {
  const Dims& input = image_extents(site);
  const Dims& weights = site.shape(1);
  if (weights.size() != input.size()) {
    throw Error("weights of rank " + std::to_string(weights.size()) + " for an input of rank " +
                std::to_string(input.size()));
  }
  Deconvolution shape;
  shape.input = input;
  shape.groups = site.node().integer("group", 1);
  if (shape.groups < 1 || shape.groups > input[1] || weights[0] != input[1] ||
      input[1] % shape.groups != 0) {
    throw Error("weights of " + join(weights, 'x') + " in " + std::to_string(shape.groups) +
                " groups do not fit " + std::to_string(input[1]) + " input channels");
  }
  shape.filters = weights[1] * shape.groups;
  const Dims kernel = spatial(weights);
  if (site.node().integers("kernel_shape").value_or(kernel) != kernel) {
    throw Error("kernel_shape differs from the weights' " + join(kernel, 'x'));
  }
  shape.window = transposed_window(site.node(), spatial(input), kernel);
  std::vector<Call> calls{call(shape, {from_input(0), from_input(1)})};
  if (site.has_input(2)) calls.push_back(filter_bias(site, 2, shape.output(), from_call(0)));
  return measured(std::move(calls));
}

}  // namespace

void register_conv_transpose(LoweringTable& table) { table.add("ConvTranspose", conv_transpose); }

}  // namespace benanza::onnx::lower
