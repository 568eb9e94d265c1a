#include "base/error.h"
#include "onnx/broadcast.h"
#include "onnx/lowering.h"

namespace benanza::lower {
namespace {

template <BinaryKind kind>
Lowered binary(const Site& site) {
  const Dims& a = site.shape(0);
  const Dims& b = site.shape(1);
  if (site.node().opset() < 7 && a != b) {
    throw NotExpressible("broadcasting as it was before opset 7");
  }
  return measured({elementwise_call(kind, {a, site.input(0).constant, from_input(0)},
                                    {b, site.input(1).constant, from_input(1)})});
}

/// The slope broadcasts to the input, never the other way round.
Lowered prelu(const Site& site) {
  if (site.node().opset() < 7) throw NotExpressible("broadcasting as it was before opset 7");
  Call result =
      elementwise_call(BinaryKind::prelu, {site.shape(0), site.input(0).constant, from_input(0)},
                       {site.shape(1), site.input(1).constant, from_input(1)});
  if (output(result.problem) != site.extents(0)) {
    throw Error("a slope of " + join(site.shape(1), 'x') + " does not broadcast to " +
                join(site.shape(0), 'x'));
  }
  return measured({result});
}

}  // namespace

void register_binary(LoweringTable& table) {
  table.add("Add", binary<BinaryKind::add>);
  table.add("Sub", binary<BinaryKind::sub>);
  table.add("Mul", binary<BinaryKind::mul>);
  table.add("Div", binary<BinaryKind::div>);
  table.add("PRelu", prelu);
}

}  // namespace benanza::lower
