#include "suites/onednn/operators.h"

namespace benanza::onednn {

/// Mean and variance are given: they were learned.
Solver solver(const BatchNormalization& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.input), [shape](const Setting& setting) {
    using Forward = dnnl::batch_normalization_forward;
    const auto flags = dnnl::normalization_flags::use_global_stats |
                       dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const Forward::desc descriptor(dnnl::prop_kind::forward_inference, setting.tensor(shape.input),
                                   shape.epsilon, flags);
    const Memory::desc channels = floats({shape.input[1]});
    return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                .operands = {{DNNL_ARG_SRC, floats(shape.input)},
                             {DNNL_ARG_SCALE, channels},
                             {DNNL_ARG_SHIFT, channels},
                             {DNNL_ARG_MEAN, channels},
                             {DNNL_ARG_VARIANCE, channels}},
                .result = {DNNL_ARG_DST, floats(shape.input)}};
  });
}

}  // namespace benanza::onednn
