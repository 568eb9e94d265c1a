#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

Lowered lower_lrn(const NodeView& node) {
  const Dims& input = node.shape(0);
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

void register_lrn(OperatorTable& table) { table.add("LRN", {.lower = lower_lrn}); }

}  // namespace benanza::onnx
