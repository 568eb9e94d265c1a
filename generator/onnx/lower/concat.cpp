#include "core/base/error.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

Lowered concat(const Site& site) {
  const auto rank = site.shape(0).size();
  Concat shape;
  shape.axis = Site::axis(site.node().integer("axis", 1), rank);
  std::vector<Source> operands;
  for (std::size_t index = 0; index < site.input_count(); ++index) {
    const Dims& part = site.shape(index);
    if (part.size() != rank) throw Error("joins tensors of different ranks");
    if (element_count(part) == 0) continue;
    Dims like_first = shape.parts.empty() ? part : shape.parts.front();
    like_first[static_cast<std::size_t>(shape.axis)] = part[static_cast<std::size_t>(shape.axis)];
    if (part != like_first) {
      throw Error("joins " + join(part, 'x') + " to " + join(shape.parts.front(), 'x') +
                  " along axis " + std::to_string(shape.axis));
    }
    shape.parts.push_back(part);
    operands.push_back(from_input(static_cast<int>(index)));
  }
  if (shape.parts.size() == 1) return free_layer("its only input");
  return movement({call(std::move(shape), std::move(operands))});
}

}  // namespace

void register_concat(LoweringTable& table) { table.add("Concat", concat); }

}  // namespace benanza::onnx::lower
