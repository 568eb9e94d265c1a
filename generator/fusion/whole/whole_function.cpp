#include <cmath>

#include "core/problem/function.h"
#include "generator/fusion/whole/whole.h"

namespace benanza::fusion {
namespace {

/// Values on both sides of every bound and kink, and two that are far from all of them.
const Table& numbers() {
  static const Table table{2,
                           9,
                           {-30, -5.1, -3.3, -2.3, -1.4, -0.9, -0.45, -0.2, -0.05,  //
                            0.1, 0.3, 0.7, 1, 1.6, 2.4, 3.2, 4.7, 30}};
  return table;
}

/// Rounds a parameter to a well-known value that is near it.
float rounded(double parameter) {
  for (const double known : {1.0, 1.702}) {
    if (std::abs(parameter - known) < 1e-3) return static_cast<float>(known);
  }
  return static_cast<float>(parameter);
}

/// The functions that the result may be; their parameters are derived from one value each.
std::vector<Activation> candidates(const Table& result) {
  const auto of = [](ActivationKind kind, double alpha = 0) {
    return Activation{.input = {}, .kind = kind, .alpha = rounded(alpha)};
  };
  using enum ActivationKind;
  std::vector<Activation> all{of(gelu), of(gelu_tanh), of(hard_swish),
                              of(mish), of(softplus),  of(sigmoid)};
  const double at_one = result.at(1, 3);
  const double below = result.at(0, 5) / numbers().at(0, 5);
  if (at_one > 0 && at_one < 1) all.push_back(of(swish, -std::log(1 / at_one - 1)));
  if (below > 0 && below < 1) all.push_back(of(leaky_relu, below));
  if (below > 0) all.push_back(of(elu, result.at(0, 5) / std::expm1(numbers().at(0, 5))));
  return all;
}

}  // namespace

std::optional<WholeOperator> whole_function(const Flow& flow, const Cone& cone) {
  const auto evaluated = evaluate(flow, cone, numbers());
  if (!evaluated || evaluated->length != 0) return std::nullopt;
  for (Activation& function : candidates(evaluated->result)) {
    Table values = numbers();
    for (double& value : values.values) value = value_of(function, value);
    if (!agree(evaluated->result, values)) continue;
    function.input = cone.dims;
    return WholeOperator{std::string(function.op()), cone.layers, {function, {}}, {cone.x}};
  }
  return std::nullopt;
}

}  // namespace benanza::fusion
