#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const LayerNormalization& shape, const Problem&) {
  return solver_of_one({Layout::plain}, [shape](const Setting& setting) {
    using Forward = dnnl::layer_normalization_forward;
    if (shape.root_mean_square) {
      throw Unsupported("oneDNN 2 has no normalization by the root mean square");
    }
    if (setting.integers()) {
      throw Unsupported("int8 layernorm needs a result scale of its own");
    }
    auto flags = dnnl::normalization_flags::none;
    if (shape.scale) flags = flags | dnnl::normalization_flags::use_scale;
    if (shape.bias) flags = flags | dnnl::normalization_flags::use_shift;
    const Dims dims = shape.output();
    const Forward::desc descriptor(dnnl::prop_kind::forward_inference, setting.plain(dims),
                                   shape.epsilon, flags);
    Plan plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
              .operands = {{DNNL_ARG_SRC, floats(dims)}},
              .result = {DNNL_ARG_DST, floats(dims)}};
    if (shape.scale) plan.operands.push_back({DNNL_ARG_SCALE, floats({shape.length})});
    if (shape.bias) plan.operands.push_back({DNNL_ARG_SHIFT, floats({shape.length})});
    return plan;
  });
}

}  // namespace benanza::onednn
