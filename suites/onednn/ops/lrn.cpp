#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const Lrn& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.input), [shape](const Setting& setting) {
    using Forward = dnnl::lrn_forward;
    if (shape.size % 2 == 0) {
      throw Unsupported("oneDNN's LRN has as many neighbours before as after: sizes are odd");
    }
    const Forward::desc descriptor(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::lrn_across_channels,
        setting.tensor(shape.input), shape.size, shape.alpha, shape.beta, shape.k);
    return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                .result = {DNNL_ARG_DST, floats(shape.input)}};
  });
}

}  // namespace benanza::onednn
