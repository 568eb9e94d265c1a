#pragma once

#include <optional>

#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// A grouped convolution, or transposed one, of lines as one of images one pixel high: for groups,
/// the library has fast code for images alone. Empty for others.
template <class Shape>
std::optional<Shape> as_image(const Shape& shape) {
  if (shape.window.rank() != 1 || shape.groups == 1) return std::nullopt;
  Shape image = shape;
  Window& window = image.window;
  image.input.insert(image.input.end() - 1, 1);
  for (Dims* one : {&window.kernel, &window.strides, &window.dilations})
    one->insert(one->begin(), 1);
  window.pads = {0, shape.window.pads[0], 0, shape.window.pads[1]};
  return image;
}

/// A plan of a convolution or of a transposed one, `Forward` of the library's API. `weights` are
/// described in the order of the problem's values.
template <class Forward, class Shape>
Plan plan_convolution(const Shape& shape, const Problem& problem, const VariantContext& context,
                      dnnl::algorithm algorithm, ResidualFrom from, const Memory::desc& weights) {
  const auto images = [](const VariantContext& of, const Dims& dims) {
    return of.layout() == Layout::any ? of.chosen_by_library(dims) : of.tensor(dims);
  };
  const Memory::desc result = images(context, shape.output());
  const LibraryWindow window(shape.window);
  const Memory::desc bias = problem.epilogue.bias ? floats({shape.filters}) : Memory::desc();
  const PostOps last = post_ops(problem, context, from, result, floats(shape.output()));
  Plan plan{
      .implementation = api::implementation_of<Forward>(
          context.engine(), last.attributes, dnnl::prop_kind::forward_inference, algorithm,
          images(context.of_data(), shape.input), context.chosen_by_library(api::dims(weights)),
          bias, result, shape.window.strides, window.gaps, window.begin_pads, window.end_pads),
      .operands = {{DNNL_ARG_SRC, floats(shape.input)}, {DNNL_ARG_WEIGHTS, weights}},
      .result = {DNNL_ARG_DST, floats(shape.output())}};
  add_epilogue(plan, problem, bias, last);
  return plan;
}

}  // namespace benanza::onednn
