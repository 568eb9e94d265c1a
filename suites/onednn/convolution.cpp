#include "harness/primitive.h"
#include "onednn/operators.h"
#include "onednn/window.h"

namespace benanza::onednn {
namespace {

/// filters x channels x kernel, with the groups as an axis of their own where there are any.
Dims weight_dims(const Convolution& shape) {
  Dims dims{shape.filters / shape.groups, shape.input[1] / shape.groups};
  dims.insert(dims.end(), shape.window.kernel.begin(), shape.window.kernel.end());
  if (shape.groups > 1) dims.insert(dims.begin(), shape.groups);
  return dims;
}

Plan plan(const Convolution& shape, const Problem& problem, const Setting& setting,
          dnnl::algorithm algorithm) {
  using Forward = dnnl::convolution_forward;
  const auto data = [&](const Dims& dims) {
    return setting.layout() == Layout::any ? setting.chosen_by_library(dims) : setting.tensor(dims);
  };
  const LibraryWindow window(shape.window);
  const Dims weights = weight_dims(shape);
  const Memory::desc bias = problem.epilogue.bias ? floats({shape.filters}) : Memory::desc();

  const Forward::desc descriptor(dnnl::prop_kind::forward_inference, algorithm, data(shape.input),
                                 setting.chosen_by_library(weights), bias, data(shape.output()),
                                 shape.window.strides, window.gaps, window.begin_pads,
                                 window.end_pads);
  const float scale = setting.integers() ? int8_scale(problem) : 1;
  Plan plan{.offer = offer<Forward>(descriptor, setting.attributes(scale), setting.engine()),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)}, {DNNL_ARG_WEIGHTS, floats(weights)}},
            .result = {DNNL_ARG_DST, floats(shape.output())}};
  if (problem.epilogue.bias) plan.operands.push_back({DNNL_ARG_BIAS, bias});
  return plan;
}

}  // namespace

/// Layout::any leaves the format of input and result to the library. Weights are in whatever format
/// it likes: they are packed when the model is loaded, outside of the time.
Solver solver(const Convolution& shape, const Problem& problem) {
  return {.layouts = {Layout::nchw, Layout::nhwc, Layout::any},
          .attempts = [=](const Setting& setting) {
            const auto with = [=](dnnl::algorithm algorithm) {
              return [=] { return plan(shape, problem, setting, algorithm); };
            };
            return std::vector<Attempt>{
                {.prefix = "", .plan = with(dnnl::algorithm::convolution_direct)},
                {.prefix = "winograd.", .plan = with(dnnl::algorithm::convolution_winograd)}};
          }};
}

}  // namespace benanza::onednn
