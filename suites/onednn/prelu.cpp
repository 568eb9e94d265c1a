#include "suites/onednn/prelu.h"

#include "suites/harness/primitive.h"

namespace benanza::onednn {

Plan plan_prelu(const Binary& shape, const Setting& setting) {
  using Forward = dnnl::prelu_forward;
  if (shape.a != shape.output()) throw Unsupported("oneDNN broadcasts only the slope of a prelu");
  const Forward::desc descriptor(dnnl::prop_kind::forward_inference, setting.tensor(shape.a),
                                 setting.chosen_by_library(shape.b));
  return {.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
          .operands = {{DNNL_ARG_SRC, floats(shape.a)}, {DNNL_ARG_WEIGHTS, floats(shape.b)}},
          .result = {DNNL_ARG_DST, floats(shape.a)}};
}

}  // namespace benanza::onednn
