#include "core/base/error.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

Lowered lrn(const Site& site) {
  const Node& node = site.node();
  const Dims& input = site.shape(0);
  if (input.size() < 2) throw NotExpressible("an input without channels");
  const std::int64_t size = node.integer("size", 0);
  if (size < 1) throw Error("size " + std::to_string(size) + " must be at least 1");
  return measured({call(Lrn{.input = input,
                            .size = size,
                            .alpha = node.real("alpha", 1e-4F),
                            .beta = node.real("beta", 0.75F),
                            .k = node.real("bias", 1)},
                        {from_input(0)})});
}

}  // namespace

void register_lrn(LoweringTable& table) { table.add("LRN", lrn); }

}  // namespace benanza::onnx::lower
