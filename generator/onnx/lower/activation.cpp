#include "onnx/lowering.h"

namespace benanza::lower {
namespace {

template <ActivationKind kind>
Lowered plain(const Site& site) {
  return measured({call(Activation{.input = site.extents(0), .kind = kind}, {from_input(0)})});
}

Lowered leaky_relu(const Site& site) {
  return measured({call(Activation{.input = site.extents(0),
                                   .kind = ActivationKind::leaky_relu,
                                   .alpha = site.node().real("alpha", 0.01F)},
                        {from_input(0)})});
}

Lowered elu(const Site& site) {
  return measured({call(Activation{.input = site.extents(0),
                                   .kind = ActivationKind::elu,
                                   .alpha = site.node().real("alpha", 1)},
                        {from_input(0)})});
}

}  // namespace

void register_activation(LoweringTable& table) {
  table.add("Relu", plain<ActivationKind::relu>);
  table.add("Sigmoid", plain<ActivationKind::sigmoid>);
  table.add("Tanh", plain<ActivationKind::tanh>);
  table.add("LeakyRelu", leaky_relu);
  table.add("Elu", elu);
}

}  // namespace benanza::lower
