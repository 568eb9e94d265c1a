#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_softmax_gradient(WayTable& table) {
  table.add(family_of_one<SoftmaxGradient>(
      [](const SoftmaxGradient&) { return std::vector{Layout::plain}; },
      [](const SoftmaxGradient& shape, const Problem&, const VariantContext& context) -> Plan {
        if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
        const auto algorithm = shape.forward.logarithm ? dnnl::algorithm::softmax_log
                                                       : dnnl::algorithm::softmax_accurate;
        const Memory::desc format = context.plain(shape.forward.input);
        const auto axis = static_cast<int>(shape.forward.axis);
        const auto forward = api::forward_of<api::Softmax>(context.engine(), context.attributes(),
                                                           dnnl::prop_kind::forward_training,
                                                           algorithm, format, format, axis);
        const Memory::desc values = floats(shape.forward.input);
        return {.implementation = api::gradient_of<api::SoftmaxGradient>(
                    context.engine(), context.attributes(), forward, algorithm, format, format,
                    format, axis),
                .operands = {{DNNL_ARG_DIFF_DST, values}, {DNNL_ARG_DST, values}},
                .result = {DNNL_ARG_DIFF_SRC, values}};
      }));
}

}  // namespace benanza::onednn
