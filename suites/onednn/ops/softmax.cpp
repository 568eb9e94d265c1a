#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const Softmax& shape, const Problem& problem) {
  return solver_of_one({Layout::plain}, [shape, name = op(problem)](const Setting& setting) {
    using Forward = dnnl::softmax_v2_forward;
    if (setting.integers()) {
      throw Unsupported("int8 " + std::string(name) + " needs a result scale of its own");
    }
    const Forward::desc descriptor(
        dnnl::prop_kind::forward_inference,
        shape.logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate,
        setting.plain(shape.input), setting.plain(shape.input), static_cast<int>(shape.axis));
    return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                .result = {DNNL_ARG_DST, floats(shape.input)}};
  });
}

}  // namespace benanza::onednn
