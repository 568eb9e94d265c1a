#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// A sum with a clip behind it.
void register_clamp_sum(WayTable& table) {
  table.add(family_of_one<ClampSum>(
      [](const ClampSum& shape) { return channel_layouts(shape.input); },
      [](const ClampSum& shape, const Problem&, const VariantContext& context) {
        const Memory::desc format = context.tensor(shape.input);
        dnnl::post_ops clip;
        api::append_eltwise(clip, dnnl::algorithm::eltwise_clip, shape.low, shape.high);
        dnnl::primitive_attr attributes = context.attributes();
        attributes.set_post_ops(clip);
        return Plan{
            .implementation = api::implementation_of<dnnl::binary>(
                context.engine(), attributes, dnnl::algorithm::binary_add, format, format, format),
            .operands = {{DNNL_ARG_SRC_0, floats(shape.input)},
                         {DNNL_ARG_SRC_1, floats(shape.input)}},
            .result = {DNNL_ARG_DST, floats(shape.input)}};
      }));
}

}  // namespace benanza::onednn
