#include <cmath>
#include <type_traits>

#include "generator/onnx/fold/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::fold {
namespace {

template <class Function>
std::vector<Literal> each(const Site& site, Function function) {
  Literal result = site.literal(0);
  std::visit(
      [&](auto& values) {
        for (auto& value : values) value = function(value);
      },
      result);
  return {result};
}

std::vector<Literal> negate(const Site& site) {
  return each(site, [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      return checked_difference(0, value);
    } else {
      return -value;
    }
  });
}

std::vector<Literal> absolute(const Site& site) {
  return each(site, [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      return value >= 0 ? value : checked_difference(0, value);
    } else {
      return std::abs(value);
    }
  });
}

std::vector<Literal> sign(const Site& site) {
  return each(site, [](auto value) {
    return static_cast<decltype(value)>((value > 0 ? 1 : 0) - (value < 0 ? 1 : 0));
  });
}

std::vector<Literal> logical_not(const Site& site) {
  return each(site, [](auto value) { return static_cast<decltype(value)>(value == 0); });
}

/// A function of reals; integers are whole already, or have no such function.
template <double (*function)(double), bool keeps_integers = false>
std::vector<Literal> real(const Site& site) {
  return each(site, [](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) return function(value);
    if (!keeps_integers) throw NotExpressible("a function of integers");
    return value;
  });
}

double floor_of(double value) { return std::floor(value); }
double ceil_of(double value) { return std::ceil(value); }
/// Halves go to the even neighbour.
double round_of(double value) { return std::nearbyint(value); }
double sqrt_of(double value) { return std::sqrt(value); }
double exp_of(double value) { return std::exp(value); }
double log_of(double value) { return std::log(value); }
double reciprocal_of(double value) { return 1 / value; }

std::vector<Literal> clip(const Site& site) {
  const Node& node = site.node();
  double least = -HUGE_VAL;
  double greatest = HUGE_VAL;
  if (node.opset() < 11) {
    least = node.real("min", -HUGE_VALF);
    greatest = node.real("max", HUGE_VALF);
  } else {
    least = site.scalar(1, least);
    greatest = site.scalar(2, greatest);
  }
  const auto as = [](auto value, double bound) {
    if constexpr (std::is_integral_v<decltype(value)>) return whole(bound);
    return static_cast<decltype(value)>(bound);
  };
  return each(site, [&](auto value) {
    if (static_cast<double>(value) < least) return as(value, least);
    if (static_cast<double>(value) > greatest) return as(value, greatest);
    return value;
  });
}

}  // namespace

void register_unary(FoldTable& table) {
  table.add("Neg", negate);
  table.add("Abs", absolute);
  table.add("Sign", sign);
  table.add("Not", logical_not);
  table.add("Floor", real<floor_of, true>);
  table.add("Ceil", real<ceil_of, true>);
  table.add("Round", real<round_of, true>);
  table.add("Sqrt", real<sqrt_of>);
  table.add("Exp", real<exp_of>);
  table.add("Log", real<log_of>);
  table.add("Reciprocal", real<reciprocal_of>);
  table.add("Clip", clip);
}

}  // namespace benanza::onnx::fold
