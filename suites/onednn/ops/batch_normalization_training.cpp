#include "suites/harness/primitive.h"
#include "suites/onednn/plans/lines.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

dnnl::normalization_flags scale_and_shift() {
  return dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
}

void refuse_integers(const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("oneDNN trains no int8 normalization");
}

Plan plan_forward(const BatchNormalizationTraining& shape, const VariantContext& context) {
  refuse_integers(context);
  const Memory::desc format = context.tensor(line_as_image(shape.input));
  const Memory::desc channels = floats({shape.input[1]});
  return {.implementation = api::implementation_of<dnnl::batch_normalization_forward>(
              context.engine(), context.attributes(), dnnl::prop_kind::forward_training, format,
              format, shape.epsilon, scale_and_shift()),
          .operands = {line_argument(DNNL_ARG_SRC, shape.input, context),
                       {DNNL_ARG_SCALE, channels},
                       {DNNL_ARG_SHIFT, channels}},
          .result = line_argument(DNNL_ARG_DST, shape.input, context),
          .further_results = {{DNNL_ARG_MEAN, channels}, {DNNL_ARG_VARIANCE, channels}}};
}

Plan plan_gradient(const BatchNormalizationGradient& shape, const VariantContext& context) {
  refuse_integers(context);
  const Memory::desc format = context.tensor(line_as_image(shape.input));
  const Memory::desc channels = floats({shape.input[1]});
  const auto forward = api::forward_of<dnnl::batch_normalization_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, format, format,
      shape.epsilon, scale_and_shift());
  return {.implementation = api::gradient_of<dnnl::batch_normalization_backward>(
              context.engine(), context.attributes(), forward, dnnl::prop_kind::backward, format,
              format, format, shape.epsilon, scale_and_shift()),
          .operands = {line_argument(DNNL_ARG_DIFF_DST, shape.input, context),
                       line_argument(DNNL_ARG_SRC, shape.input, context),
                       {DNNL_ARG_SCALE, channels},
                       {DNNL_ARG_MEAN, channels},
                       {DNNL_ARG_VARIANCE, channels}},
          .result = line_argument(DNNL_ARG_DIFF_SRC, shape.input, context),
          .further_results = {{DNNL_ARG_DIFF_SCALE, channels}, {DNNL_ARG_DIFF_SHIFT, channels}},
          .fills = api::gradient_takes_shift ? std::vector<Fill>{{DNNL_ARG_SHIFT}}
                                             : std::vector<Fill>{}};
}

}  // namespace

void register_batch_normalization_training(WayTable& table) {
  table.add(family_of_one<BatchNormalizationTraining>(
      [](const BatchNormalizationTraining& shape) { return channel_layouts(shape.input); },
      [](const BatchNormalizationTraining& shape, const Problem&, const VariantContext& context) {
        return plan_forward(shape, context);
      }));
  table.add(family_of_one<BatchNormalizationGradient>(
      [](const BatchNormalizationGradient& shape) { return channel_layouts(shape.input); },
      [](const BatchNormalizationGradient& shape, const Problem&, const VariantContext& context) {
        return plan_gradient(shape, context);
      }));
}

}  // namespace benanza::onednn
