#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_lrn(WayTable& table) {
  table.add(family_of_one<Lrn>(
      [](const Lrn& shape) { return channel_layouts(shape.input); },
      [](const Lrn& shape, const Problem&, const VariantContext& context) {
        if (shape.size % 2 == 0) {
          throw harness::Unsupported(
              "oneDNN's LRN has as many neighbours before as after: sizes are odd");
        }
        const Memory::desc format = context.tensor(shape.input);
        return Plan{.implementation = api::implementation_of<dnnl::lrn_forward>(
                        context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
                        dnnl::algorithm::lrn_across_channels, format, format, shape.size,
                        shape.alpha, shape.beta, shape.k),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.input)}};
      }));
}

}  // namespace benanza::onednn
