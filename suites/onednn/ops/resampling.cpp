#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_resampling(SolverTable& table) {
  table.add(solver_of_one_way<Resampling>(
      [](const Resampling& shape) { return channel_layouts(shape.output()); },
      [](const Resampling& shape, const Problem&, const VariantContext& context) {
        using Forward = dnnl::resampling_forward;
        const Forward::desc descriptor(dnnl::prop_kind::forward_inference,
                                       shape.mode == ResamplingMode::linear
                                           ? dnnl::algorithm::resampling_linear
                                           : dnnl::algorithm::resampling_nearest,
                                       context.tensor(shape.input), context.tensor(shape.output()));
        return Plan{.implementation = implementation_of<Forward>(descriptor, context.attributes(),
                                                                 context.engine()),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.output())}};
      }));
}

}  // namespace benanza::onednn
