#include "core/base/error.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
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

/// alpha * x + beta between 0 and 1: no library has it in one call.
Lowered hard_sigmoid(const Site& site) {
  const Dims dims = site.extents(0);
  return measured(
      {call(Activation{.input = dims,
                       .kind = ActivationKind::linear,
                       .alpha = site.node().real("alpha", 0.2F),
                       .beta = site.node().real("beta", 0.5F)},
            {from_input(0)}),
       call(Activation{.input = dims, .kind = ActivationKind::clip, .beta = 1}, {from_call(0)})});
}

Lowered gelu(const Site& site) {
  const std::string approximation = site.node().text("approximate", "none");
  if (approximation == "tanh") return plain<ActivationKind::gelu_tanh>(site);
  if (approximation != "none") throw NotExpressible("the approximation " + approximation);
  return plain<ActivationKind::gelu>(site);
}

Lowered swish(const Site& site) {
  return measured({call(Activation{.input = site.extents(0),
                                   .kind = ActivationKind::swish,
                                   .alpha = site.node().real("alpha", 1)},
                        {from_input(0)})});
}

/// swish(a) * b.
Lowered swiglu(const Site& site) {
  Lowered lowered = swish(site);
  lowered.calls.push_back(
      call(Binary{.kind = BinaryKind::mul, .a = site.extents(0), .b = site.extents(1)},
           {from_call(0), from_input(1)}));
  if (site.extents(0) != site.extents(1)) {
    throw Error("operands of " + join(site.extents(0), 'x') + " and " + join(site.extents(1), 'x'));
  }
  return lowered;
}

Call linear(const Dims& dims, float factor, Source source) {
  return call(Activation{.input = dims, .kind = ActivationKind::linear, .alpha = factor}, {source});
}

Call elu_of(const Dims& dims, float alpha, Source source) {
  return call(Activation{.input = dims, .kind = ActivationKind::elu, .alpha = alpha}, {source});
}

/// gamma * elu(x).
Lowered selu(const Site& site) {
  const Dims dims = site.extents(0);
  return measured({elu_of(dims, site.node().real("alpha", 1.67326319F), from_input(0)),
                   linear(dims, site.node().real("gamma", 1.05070102F), from_call(0))});
}

/// alpha * elu(x / alpha), the elu with a factor of 1.
Lowered celu(const Site& site) {
  const Dims dims = site.extents(0);
  const float alpha = site.node().real("alpha", 1);
  if (alpha == 1) return measured({elu_of(dims, 1, from_input(0))});
  return measured({linear(dims, 1 / alpha, from_input(0)), elu_of(dims, 1, from_call(0)),
                   linear(dims, alpha, from_call(1))});
}

Lowered negate(const Site& site) { return measured({linear(site.extents(0), -1, from_input(0))}); }

Lowered reciprocal(const Site& site) {
  return measured(
      {call(Activation{.input = site.extents(0), .kind = ActivationKind::pow, .alpha = -1},
            {from_input(0)})});
}

}  // namespace

void register_activation(LoweringTable& table) {
  table.add("Relu", plain<ActivationKind::relu>);
  table.add("Sigmoid", plain<ActivationKind::sigmoid>);
  table.add("Tanh", plain<ActivationKind::tanh>);
  table.add("LeakyRelu", leaky_relu);
  table.add("Elu", elu);
  table.add("HardSigmoid", hard_sigmoid);
  table.add("HardSwish", plain<ActivationKind::hard_swish>);
  table.add("Gelu", gelu);
  table.add("Swish", swish);
  table.add("SwiGLU", swiglu);
  table.add("Selu", selu);
  table.add("Celu", celu);
  table.add("Neg", negate);
  table.add("Reciprocal", reciprocal);
  table.add("Softplus", plain<ActivationKind::softplus>);
  table.add("Softsign", plain<ActivationKind::softsign>);
  table.add("Mish", plain<ActivationKind::mish>);
  table.add("Erf", plain<ActivationKind::erf>);
  table.add("Exp", plain<ActivationKind::exp>);
  table.add("Log", plain<ActivationKind::log>);
  table.add("Sqrt", plain<ActivationKind::sqrt>);
  table.add("Abs", plain<ActivationKind::abs>);
  table.add("Floor", plain<ActivationKind::floor>);
  table.add("Ceil", plain<ActivationKind::ceil>);
  table.add("Round", plain<ActivationKind::round>);
  table.add("Sign", plain<ActivationKind::sign>);
  table.add("Sin", plain<ActivationKind::sin>);
  table.add("Cos", plain<ActivationKind::cos>);
}

}  // namespace benanza::onnx::lower
