#include <limits>

#include "generator/onnx/broadcast.h"
#include "generator/onnx/filter_bias.h"
#include "generator/onnx/movement.h"
#include "generator/onnx/product.h"

/// Products with a function behind them, as ONNX Runtime's optimizers write them, by their parts.
/// Its blocked layout (domain com.microsoft.nchwc) names the same tensors.
namespace benanza::onnx::lower {
namespace {

Source behind(const std::vector<Call>& calls) {
  return from_call(static_cast<int>(calls.size()) - 1);
}

/// The function that the node names, with its parameters.
void add_activation(const Site& site, const std::vector<float>& parameters,
                    std::vector<Call>& calls) {
  const std::string name = site.node().text("activation", "");
  if (name.empty()) return;
  Activation shape{.input = output(calls.back().problem)};
  const auto parameter = [&](std::size_t index, float fallback) {
    return index < parameters.size() ? parameters[index] : fallback;
  };
  const auto add = [&] { calls.push_back(call(shape, {behind(calls)})); };
  if (name == "Relu") {
    shape.kind = ActivationKind::relu;
  } else if (name == "Sigmoid") {
    shape.kind = ActivationKind::sigmoid;
  } else if (name == "Tanh") {
    shape.kind = ActivationKind::tanh;
  } else if (name == "LeakyRelu") {
    shape.kind = ActivationKind::leaky_relu;
    shape.alpha = parameter(0, 0.01F);
  } else if (name == "Clip") {
    shape.kind = ActivationKind::clip;
    shape.alpha = parameter(0, std::numeric_limits<float>::lowest());
    shape.beta = parameter(1, std::numeric_limits<float>::max());
  } else if (name == "HardSigmoid") {
    shape.kind = ActivationKind::linear;
    shape.alpha = parameter(0, 0.2F);
    shape.beta = parameter(1, 0.5F);
    add();
    shape = {.input = shape.input, .kind = ActivationKind::clip, .beta = 1};
  } else {
    throw NotExpressible("the function " + name + " behind a product");
  }
  add();
}

/// Inputs: data, weights, a bias, and a tensor that is added before the function.
Lowered fused_conv(const Site& site) {
  std::vector<Call> calls{convolution_call(site, {})};
  const Dims dims = output(calls[0].problem);
  if (site.has_input(2)) calls.push_back(filter_bias(site, 2, dims, from_call(0)));
  if (site.has_input(3)) {
    calls.push_back(elementwise_call(BinaryKind::add, {dims, false, behind(calls)},
                                     {site.shape(3), site.input(3).constant, from_input(3)}));
  }
  add_activation(site, site.node().reals("activation_params").value_or(std::vector<float>{}),
                 calls);
  return measured(std::move(calls));
}

Lowered fused_gemm(const Site& site) {
  Lowered lowered = gemm(site);
  std::vector<float> parameters;
  for (const auto* name : {"activation_alpha", "activation_beta"}) {
    if (site.node().has(name)) parameters.push_back(site.node().real(name, 0));
  }
  add_activation(site, parameters, lowered.calls);
  return lowered;
}

/// Into the blocked layout, or out of it.
Lowered reorder(const Site& site) {
  return movement({stand_in(site, element_count(site.output_shape(0)))});
}

}  // namespace

void register_fused(LoweringTable& table) {
  table.add("com.microsoft.FusedConv", fused_conv);
  table.add("com.microsoft.FusedGemm", fused_gemm);
  table.add("com.microsoft.nchwc.Conv", fused_conv);
  for (const auto* op : {"ReorderInput", "ReorderOutput"}) {
    table.add(std::string("com.microsoft.nchwc.") + op, reorder);
  }
}

}  // namespace benanza::onnx::lower
