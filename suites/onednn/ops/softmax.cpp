#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_softmax(SolverTable& table) {
  table.add(solver_of_one_way<Softmax>(
      [](const Softmax&) { return std::vector{Layout::plain}; },
      [](const Softmax& shape, const Problem& problem, const VariantContext& context) {
        const std::string name(op(problem));
        using Forward = dnnl::softmax_v2_forward;
        if (context.integers()) {
          throw harness::Unsupported("int8 " + std::string(name) +
                                     " needs a result scale of its own");
        }
        const Forward::desc descriptor(
            dnnl::prop_kind::forward_inference,
            shape.logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate,
            context.plain(shape.input), context.plain(shape.input), static_cast<int>(shape.axis));
        return Plan{.implementation = implementation_of<Forward>(descriptor, context.attributes(),
                                                                 context.engine()),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.input)}};
      }));
}

}  // namespace benanza::onednn
