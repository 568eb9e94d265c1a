#include "core/base/error.h"
#include "generator/onnx/broadcast.h"
#include "generator/onnx/lowering.h"

/// Operators that ONNX Runtime's optimizers write (domain com.microsoft), by their parts.
namespace benanza::onnx::lower {
namespace {

Call activation(const Dims& dims, ActivationKind kind, Source source, float alpha = 0) {
  return call(Activation{.input = dims, .kind = kind, .alpha = alpha}, {source});
}

/// x + bias, where there is a bias, then the function.
template <ActivationKind kind>
Lowered biased(const Site& site) {
  const Dims dims = site.extents(0);
  if (!site.has_input(1)) return measured({activation(dims, kind, from_input(0))});
  return measured({elementwise_call(BinaryKind::add, {dims, false, from_input(0)},
                                    {site.shape(1), site.input(1).constant, from_input(1)}),
                   activation(dims, kind, from_call(0))});
}

Lowered exact_gelu(const Site& site) {
  return measured({activation(site.extents(0), ActivationKind::gelu, from_input(0))});
}

Lowered quick_gelu(const Site& site) {
  return measured({activation(site.extents(0), ActivationKind::swish, from_input(0),
                              site.node().real("alpha", 1.702F))});
}

}  // namespace

void register_contrib(LoweringTable& table) {
  table.add("com.microsoft.Gelu", exact_gelu);
  table.add("com.microsoft.QuickGelu", quick_gelu);
  table.add("com.microsoft.BiasGelu", biased<ActivationKind::gelu>);
  table.add("com.microsoft.FastGelu", biased<ActivationKind::gelu_tanh>);
}

}  // namespace benanza::onnx::lower
