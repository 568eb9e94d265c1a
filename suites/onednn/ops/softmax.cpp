#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_softmax(WayTable& table) {
  table.add(family_of_one<Softmax>(
      [](const Softmax&) { return std::vector{Layout::plain}; },
      [](const Softmax& shape, const Problem& problem, const VariantContext& context) {
        const std::string name(op(problem));
        if (context.integers()) {
          throw harness::Unsupported("int8 " + std::string(name) +
                                     " needs a result scale of its own");
        }
        const auto algorithm =
            shape.logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
        const Memory::desc format = context.plain(shape.input);
        const PostOps steps = steps_of(problem, context, shape.input);
        Plan plan{.implementation = api::implementation_of<api::Softmax>(
                      context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                      algorithm, format, format, static_cast<int>(shape.axis)),
                  .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                  .result = {DNNL_ARG_DST, floats(shape.input)}};
        add_steps(plan, steps);
        return plan;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
