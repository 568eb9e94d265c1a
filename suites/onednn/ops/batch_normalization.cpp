#include "suites/onednn/solvers.h"

namespace benanza::onednn {

/// Mean and variance are given: they were learned.
void register_batch_normalization(SolverTable& table) {
  table.add(solver_of_one_way<BatchNormalization>(
      [](const BatchNormalization& shape) { return channel_layouts(shape.input); },
      [](const BatchNormalization& shape, const Problem&, const VariantContext& context) {
        using Forward = dnnl::batch_normalization_forward;
        const auto flags = dnnl::normalization_flags::use_global_stats |
                           dnnl::normalization_flags::use_scale |
                           dnnl::normalization_flags::use_shift;
        const Forward::desc descriptor(dnnl::prop_kind::forward_inference,
                                       context.tensor(shape.input), shape.epsilon, flags);
        const Memory::desc channels = floats({shape.input[1]});
        return Plan{.implementation = implementation_of<Forward>(descriptor, context.attributes(),
                                                                 context.engine()),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)},
                                 {DNNL_ARG_SCALE, channels},
                                 {DNNL_ARG_SHIFT, channels},
                                 {DNNL_ARG_MEAN, channels},
                                 {DNNL_ARG_VARIANCE, channels}},
                    .result = {DNNL_ARG_DST, floats(shape.input)}};
      }));
}

}  // namespace benanza::onednn
