#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const Concat& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.output()), [shape](const Setting& setting) {
    std::vector<Memory::desc> sources;
    std::vector<Argument> operands;
    for (const Dims& part : shape.parts) {
      operands.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(sources.size()), floats(part)});
      sources.push_back(setting.tensor(part));
    }
    return Plan{.offer = Offer(dnnl::concat::primitive_desc(
                    setting.tensor(shape.output()), static_cast<int>(shape.axis), sources,
                    setting.engine(), setting.attributes())),
                .operands = operands,
                .result = {DNNL_ARG_DST, floats(shape.output())}};
  });
}

}  // namespace benanza::onednn
