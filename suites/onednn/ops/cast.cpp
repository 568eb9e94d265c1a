#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// A reorder from one type to the other.
void register_cast(WayTable& table) {
  table.add(family_of_one<Cast>(
      [](const Cast&) { return std::vector{Layout::plain}; },
      [](const Cast& shape, const Problem&, const VariantContext& context) {
        if (context.integers() || element_bytes(context.precision()) == 4) {
          throw harness::Unsupported("between fp32 and fp16 or bf16 alone");
        }
        const Memory::desc wide = floats(shape.input);
        const Memory::desc narrow = context.plain(shape.input);
        return Plan{.implementation = Implementation(dnnl::reorder::primitive_desc(
                        context.engine(), shape.widens ? narrow : wide, context.engine(),
                        shape.widens ? wide : narrow, context.attributes())),
                    .operands = {{DNNL_ARG_FROM, wide}},
                    .result = {DNNL_ARG_TO, wide}};
      }));
}

}  // namespace benanza::onednn
