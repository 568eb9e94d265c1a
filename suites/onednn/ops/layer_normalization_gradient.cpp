#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

Plan plan(const LayerNormalization& shape, const VariantContext& context) {
  if (shape.root_mean_square) {
    throw harness::Unsupported("oneDNN has no normalization by the root mean square");
  }
  if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
  auto flags = dnnl::normalization_flags::none;
  if (shape.scale) flags = flags | dnnl::normalization_flags::use_scale;
  if (shape.bias) flags = flags | dnnl::normalization_flags::use_shift;
  const Dims dims = shape.output();
  const Memory::desc format = context.plain(dims);
  const Memory::desc rows = floats({shape.rows});
  const Memory::desc columns = floats({shape.length});
  const auto forward = api::forward_of<dnnl::layer_normalization_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, format, format,
      shape.epsilon, flags);
  Plan plan{.implementation = api::gradient_of<dnnl::layer_normalization_backward>(
                context.engine(), context.attributes(), forward, dnnl::prop_kind::backward, format,
                format, format, shape.epsilon, flags),
            .operands = {{DNNL_ARG_DIFF_DST, floats(dims)}, {DNNL_ARG_SRC, floats(dims)}},
            .result = {DNNL_ARG_DIFF_SRC, floats(dims)}};
  if (shape.scale) plan.operands.push_back({DNNL_ARG_SCALE, columns});
  plan.operands.push_back({DNNL_ARG_MEAN, rows});
  plan.operands.push_back({DNNL_ARG_VARIANCE, rows});
  if (shape.scale) plan.further_results.push_back({DNNL_ARG_DIFF_SCALE, columns});
  // The library requires the shift without using it.
  if (shape.bias) plan.fills.push_back({DNNL_ARG_SHIFT});
  if (shape.bias) plan.further_results.push_back({DNNL_ARG_DIFF_SHIFT, columns});
  return plan;
}

}  // namespace

void register_layer_normalization_gradient(WayTable& table) {
  table.add(family_of_one<LayerNormalizationGradient>(
      [](const LayerNormalizationGradient&) { return std::vector{Layout::plain}; },
      [](const LayerNormalizationGradient& shape, const Problem&, const VariantContext& context) {
        return plan(shape.forward, context);
      }));
}

}  // namespace benanza::onednn
