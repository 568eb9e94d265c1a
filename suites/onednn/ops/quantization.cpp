#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {

/// A reorder between the precision's type and signed bytes.
Solver solver(const Quantization& shape, const Problem& problem) {
  return solver_of_one(
      channel_layouts(shape.input), [shape, name = op(problem)](const Setting& setting) {
        if (setting.integers()) {
          throw Unsupported("int8 " + std::string(name) + ": both sides would be integers");
        }
        const Memory::desc values = setting.tensor(shape.input);
        const Memory::desc bytes =
            Setting(setting.engine(), Precision::int8, setting.layout()).tensor(shape.input);
        const auto scales =
            shape.axis < 0
                ? std::size_t{1}
                : static_cast<std::size_t>(shape.input[static_cast<std::size_t>(shape.axis)]);
        dnnl::primitive_attr attributes = setting.attributes();
        attributes.set_output_scales(
            shape.axis < 0 ? 0 : 1 << shape.axis,
            std::vector<float>(scales, shape.writes_integers() ? 8.0F : 0.125F));
        return Plan{.offer = Offer(dnnl::reorder::primitive_desc(
                        setting.engine(), shape.writes_integers() ? values : bytes,
                        setting.engine(), shape.writes_integers() ? bytes : values, attributes)),
                    .operands = {{DNNL_ARG_FROM, floats(shape.input)}},
                    .result = {DNNL_ARG_TO, floats(shape.input)}};
      });
}

}  // namespace benanza::onednn
