#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_resampling(WayTable& table) {
  table.add(family_of_one<Resampling>(
      [](const Resampling& shape) { return channel_layouts(shape.output()); },
      [](const Resampling& shape, const Problem&, const VariantContext& context) {
        const auto algorithm = shape.mode == ResamplingMode::linear
                                   ? dnnl::algorithm::resampling_linear
                                   : dnnl::algorithm::resampling_nearest;
        return Plan{.implementation = api::implementation_of<dnnl::resampling_forward>(
                        context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
                        algorithm, context.tensor(shape.input), context.tensor(shape.output())),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.output())}};
      }));
}

}  // namespace benanza::onednn
