#include <cmath>

#include "suites/tests/random/definition_call.h"

namespace benanza::definitions {
namespace {

template <auto function>
Tensor unary(const NodeCall& call) {
  Tensor result = call.input(0);
  for (double& value : result.values) value = function(value);
  return result;
}

template <auto function>
Tensor binary(const NodeCall& call) {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  return made(joined(a.dims, b.dims), [&](const Dims& at) {
    return function(a.at(broadcast_index(at, a.dims)), b.at(broadcast_index(at, b.dims)));
  });
}

constexpr auto add = [](double a, double b) { return a + b; };
constexpr auto sub = [](double a, double b) { return a - b; };
constexpr auto mul = [](double a, double b) { return a * b; };
constexpr auto div = [](double a, double b) { return a / b; };
constexpr auto less = [](double a, double b) { return a < b; };
constexpr auto less_equal = [](double a, double b) { return a <= b; };
constexpr auto greater = [](double a, double b) { return a > b; };
constexpr auto greater_equal = [](double a, double b) { return a >= b; };
constexpr auto both = [](double a, double b) { return a != 0 && b != 0; };
constexpr auto largest = [](double a, double b) { return std::max(a, b); };
constexpr auto least = [](double a, double b) { return std::min(a, b); };
constexpr auto relu = [](double x) { return std::max(x, 0.0); };
constexpr auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
constexpr auto tangent = [](double x) { return std::tanh(x); };
constexpr auto exponential = [](double x) { return std::exp(x); };
constexpr auto error = [](double x) { return std::erf(x); };
constexpr auto root = [](double x) { return std::sqrt(x); };
constexpr auto negative = [](double x) { return -x; };
constexpr auto magnitude = [](double x) { return std::abs(x); };
constexpr auto softplus = [](double x) { return std::log1p(std::exp(x)); };
constexpr auto inverted = [](double x) { return x == 0; };
constexpr auto is_nan = [](double x) { return std::isnan(x); };
constexpr auto same = [](double x) { return x; };

Tensor leaky_relu(const NodeCall& call) {
  Tensor result = call.input(0);
  const double alpha = call.real("alpha", 0.01F);
  for (double& value : result.values) value = value < 0 ? alpha * value : value;
  return result;
}

Tensor where(const NodeCall& call) {
  const Tensor& c = call.input(0);
  const Tensor& a = call.input(1);
  const Tensor& b = call.input(2);
  return made(joined(c.dims, joined(a.dims, b.dims)), [&](const Dims& at) {
    const Tensor& chosen = c.at(broadcast_index(at, c.dims)) != 0 ? a : b;
    return chosen.at(broadcast_index(at, chosen.dims));
  });
}

Tensor cast(const NodeCall& call) {
  using Type = ::onnx::TensorProto;
  Tensor result = call.input(0);
  switch (call.integer("to", 0)) {
    case Type::BOOL:
      for (double& value : result.values) value = value != 0;
      return result;
    case Type::INT32:
    case Type::INT64:
      for (double& value : result.values) value = std::trunc(value);
      return result;
    case Type::FLOAT:
    case Type::DOUBLE:
      return result;
    default:
      throw std::invalid_argument("rounds to another type");
  }
}

}  // namespace

void add_elementwise(Functions& table) {
  table["Add"] = binary<add>;
  table["Sub"] = binary<sub>;
  table["Mul"] = binary<mul>;
  table["Div"] = binary<div>;
  table["Less"] = binary<less>;
  table["LessOrEqual"] = binary<less_equal>;
  table["Greater"] = binary<greater>;
  table["GreaterOrEqual"] = binary<greater_equal>;
  table["And"] = binary<both>;
  table["Max"] = binary<largest>;
  table["Min"] = binary<least>;
  table["Relu"] = unary<relu>;
  table["Sigmoid"] = unary<sigmoid>;
  table["Tanh"] = unary<tangent>;
  table["Exp"] = unary<exponential>;
  table["Erf"] = unary<error>;
  table["Sqrt"] = unary<root>;
  table["Neg"] = unary<negative>;
  table["Abs"] = unary<magnitude>;
  table["Softplus"] = unary<softplus>;
  table["Not"] = unary<inverted>;
  table["IsNaN"] = unary<is_nan>;
  table["Identity"] = unary<same>;
  table["LeakyRelu"] = leaky_relu;
  table["Where"] = where;
  table["Cast"] = cast;
}

}  // namespace benanza::definitions
