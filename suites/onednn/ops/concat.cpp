#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_concat(WayTable& table) {
  table.add(family_of_one<Concat>(
      [](const Concat& shape) { return channel_layouts(shape.output()); },
      [](const Concat& shape, const Problem&, const VariantContext& context) {
        std::vector<Memory::desc> sources;
        std::vector<Argument> operands;
        for (const Dims& part : shape.parts) {
          operands.push_back(
              {DNNL_ARG_MULTIPLE_SRC + static_cast<int>(sources.size()), floats(part)});
          sources.push_back(context.tensor(part));
        }
        return Plan{.implementation = Implementation(
                        api::concat(context.engine(), context.tensor(shape.output()),
                                    static_cast<int>(shape.axis), sources, context.attributes())),
                    .operands = operands,
                    .result = {DNNL_ARG_DST, floats(shape.output())}};
      }));
}

}  // namespace benanza::onednn
