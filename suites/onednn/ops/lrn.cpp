#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_lrn(SolverTable& table) {
  table.add(solver_of_one_way<Lrn>(
      [](const Lrn& shape) { return channel_layouts(shape.input); },
      [](const Lrn& shape, const Problem&, const VariantContext& context) {
        using Forward = dnnl::lrn_forward;
        if (shape.size % 2 == 0) {
          throw harness::Unsupported(
              "oneDNN's LRN has as many neighbours before as after: sizes are odd");
        }
        const Forward::desc descriptor(
            dnnl::prop_kind::forward_inference, dnnl::algorithm::lrn_across_channels,
            context.tensor(shape.input), shape.size, shape.alpha, shape.beta, shape.k);
        return Plan{.implementation = implementation_of<Forward>(descriptor, context.attributes(),
                                                                 context.engine()),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.input)}};
      }));
}

}  // namespace benanza::onednn
