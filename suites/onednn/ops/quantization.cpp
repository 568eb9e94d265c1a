#include <utility>

#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// A reorder between the precision's type and signed bytes.
void register_quantization(WayTable& table) {
  table.add(family_of_one<Quantization>(
      [](const Quantization& shape) { return channel_layouts(shape.input); },
      [](const Quantization& shape, const Problem& problem, const VariantContext& context) {
        const std::string name(op(problem));
        if (context.integers()) {
          throw harness::Unsupported("int8 " + std::string(name) +
                                     ": both sides would be integers");
        }
        if (shape.fp8) throw harness::Unsupported("fp8 " + name + ": oneDNN converts int8 here");
        const Memory::desc values = context.tensor(shape.input);
        const Memory::desc bytes =
            VariantContext(context.engine(), Precision::int8, context.layout()).tensor(shape.input);
        const auto scales =
            shape.axis < 0
                ? std::size_t{1}
                : static_cast<std::size_t>(shape.input[static_cast<std::size_t>(shape.axis)]);
        dnnl::primitive_attr attributes = context.attributes();
        auto constants = api::scale_reorder(attributes, shape.axis < 0 ? 0 : 1 << shape.axis,
                                            scales, shape.writes_bytes() ? 8.0F : 0.125F);
        return Plan{.implementation = Implementation(dnnl::reorder::primitive_desc(
                        context.engine(), shape.writes_bytes() ? values : bytes, context.engine(),
                        shape.writes_bytes() ? bytes : values, attributes)),
                    .operands = {{DNNL_ARG_FROM, floats(shape.input)}},
                    .result = {DNNL_ARG_TO, floats(shape.input)},
                    .constants = std::move(constants)};
      }));
}

}  // namespace benanza::onednn
