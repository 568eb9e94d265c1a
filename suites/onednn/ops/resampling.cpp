#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const Resampling& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.output()), [shape](const Setting& setting) {
    using Forward = dnnl::resampling_forward;
    const Forward::desc descriptor(dnnl::prop_kind::forward_inference,
                                   shape.mode == ResamplingMode::linear
                                       ? dnnl::algorithm::resampling_linear
                                       : dnnl::algorithm::resampling_nearest,
                                   setting.tensor(shape.input), setting.tensor(shape.output()));
    return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                .result = {DNNL_ARG_DST, floats(shape.output())}};
  });
}

}  // namespace benanza::onednn
