#include "core/base/error.h"
#include "generator/onnx/broadcast.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

/// The second operand as broadcasting takes it now. Before opset 7 it lay, if at all, at an axis of
/// the first, by default the last ones.
Dims second_operand(const Site& site) {
  const Dims& a = site.shape(0);
  Dims b = site.shape(1);
  if (site.node().opset() >= 7 || a == b) return b;
  if (site.node().integer("broadcast", 0) == 0) {
    throw NotExpressible("combines " + join(a, 'x') + " and " + join(b, 'x') +
                         " without broadcasting");
  }
  if (!site.node().has("axis") || b.size() > a.size()) return b;
  const auto axis = static_cast<std::size_t>(Site::axis(site.node().integer("axis", 0), a.size()));
  if (axis + b.size() > a.size()) {
    throw Error(join(b, 'x') + " does not lie at axis " + std::to_string(axis) + " of " +
                join(a, 'x'));
  }
  b.insert(b.end(), a.size() - axis - b.size(), 1);
  return b;
}

template <BinaryKind kind>
Lowered binary(const Site& site) {
  const Dims& a = site.shape(0);
  const Dims b = second_operand(site);
  return measured({elementwise_call(kind, {a, site.input(0).constant, from_input(0)},
                                    {b, site.input(1).constant, from_input(1)})});
}

/// Its result is a truth value; the library's is 1 or 0 in the type of the operands.
template <BinaryKind kind>
Lowered compare(const Site& site) {
  if (!is_floating(site.input(0).type)) {
    throw NotExpressible("a comparison of " + type_name(site.input(0).type));
  }
  Lowered lowered = binary<kind>(site);
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

/// Only what is no number differs from itself.
Lowered is_nan(const Site& site) {
  if (!is_floating(site.input(0).type))
    throw NotExpressible(type_name(site.input(0).type) + " data");
  const Dims dims = site.extents(0);
  Lowered lowered = measured({elementwise_call(BinaryKind::ne, {dims, false, from_input(0)},
                                               {dims, false, from_input(0)})});
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

/// One exponent for all elements is a parameter of the call.
Lowered power(const Site& site) {
  if (site.input(1).literal && element_count(site.shape(1)) == 1 &&
      site.output_shape(0) == site.shape(0)) {
    const auto exponent = static_cast<float>(site.scalar(1, 1));
    if (exponent == 1) return free_layer("the first power");
    const bool root = exponent == 0.5F;
    return measured({call(Activation{.input = site.extents(0),
                                     .kind = root ? ActivationKind::sqrt : ActivationKind::pow,
                                     .alpha = root ? 0 : exponent},
                          {from_input(0)})});
  }
  if (!is_floating(site.input(1).type)) throw NotExpressible("exponents that are integers");
  return binary<BinaryKind::power>(site);
}

/// The slope broadcasts to the input, never the other way round.
Lowered prelu(const Site& site) {
  Dims slope = site.shape(1);
  // Before opset 7 one for each channel.
  if (site.node().opset() < 7 && slope.size() == 1 && site.shape(0).size() > 2) {
    slope.insert(slope.end(), site.shape(0).size() - 2, 1);
  }
  Call result =
      elementwise_call(BinaryKind::prelu, {site.shape(0), site.input(0).constant, from_input(0)},
                       {slope, site.input(1).constant, from_input(1)});
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
  table.add("Pow", power);
  table.add("Equal", compare<BinaryKind::eq>);
  table.add("Less", compare<BinaryKind::lt>);
  table.add("LessOrEqual", compare<BinaryKind::le>);
  table.add("Greater", compare<BinaryKind::gt>);
  table.add("GreaterOrEqual", compare<BinaryKind::ge>);
  table.add("IsNaN", is_nan);
  table.add("PRelu", prelu);
}

}  // namespace benanza::onnx::lower
