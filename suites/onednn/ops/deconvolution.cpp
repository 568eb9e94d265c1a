#include "core/problem/ops/copy.h"
#include "suites/onednn/api/window.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The library's weights are filters x channels x kernel, with a leading axis for the groups if
/// there are several; the problem's are channels x filters x kernel.
Memory::desc weight_values(const Deconvolution& shape) {
  const std::int64_t channels = shape.input[1] / shape.groups;
  const std::int64_t filters = shape.filters / shape.groups;
  const std::int64_t taps = element_count(shape.window.kernel);
  Dims dims{filters, channels};
  Dims strides{taps, filters * taps};
  if (shape.groups > 1) {
    dims.insert(dims.begin(), shape.groups);
    strides.insert(strides.begin(), channels * filters * taps);
  }
  const Dims kernel_strides = dense_strides(shape.window.kernel);
  dims.insert(dims.end(), shape.window.kernel.begin(), shape.window.kernel.end());
  strides.insert(strides.end(), kernel_strides.begin(), kernel_strides.end());
  return floats(dims, strides);
}

Plan plan(const Deconvolution& shape, const Problem& problem, const VariantContext& context,
          dnnl::algorithm algorithm, ResidualFrom from) {
  const auto data = [&](const Dims& dims) {
    return context.layout() == Layout::any ? context.chosen_by_library(dims) : context.tensor(dims);
  };
  const LibraryWindow window(shape.window);
  const Memory::desc weights = weight_values(shape);
  const Memory::desc bias = problem.epilogue.bias ? floats({shape.filters}) : Memory::desc();

  const PostOps last =
      post_ops(problem, context, from, data(shape.output()), floats(shape.output()));
  Plan plan{.implementation = api::implementation_of<dnnl::deconvolution_forward>(
                context.engine(), last.attributes, dnnl::prop_kind::forward_inference, algorithm,
                data(shape.input), context.chosen_by_library(api::dims(weights)), bias,
                data(shape.output()), shape.window.strides, window.gaps, window.begin_pads,
                window.end_pads),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)}, {DNNL_ARG_WEIGHTS, weights}},
            .result = {DNNL_ARG_DST, floats(shape.output())}};
  add_epilogue(plan, problem, bias, last);
  return plan;
}

}  // namespace

/// Layouts and weights as for a convolution.
void register_deconvolution(WayTable& table) {
  table.add(family_of<Deconvolution>(
      [](const Deconvolution&) {
        return std::vector{Layout::nchw, Layout::nhwc, Layout::any};
      },
      [](const Deconvolution& shape, const Problem& problem, const VariantContext& context) {
        std::vector<Attempt> attempts;
        const auto ask = [&](const std::string& prefix, dnnl::algorithm algorithm) {
          auto ways = with_epilogue(problem, prefix, [=](ResidualFrom from) {
            return plan(shape, problem, context, algorithm, from);
          });
          for (Attempt& way : ways) {
            way.traits.transforms = algorithm == dnnl::algorithm::deconvolution_winograd;
          }
          attempts.insert(attempts.end(), ways.begin(), ways.end());
        };
        ask("", dnnl::algorithm::deconvolution_direct);
        ask("winograd.", dnnl::algorithm::deconvolution_winograd);
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
