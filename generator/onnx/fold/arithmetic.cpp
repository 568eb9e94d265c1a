#include <cmath>
#include <functional>
#include <type_traits>

#include "onnx/fold/table.h"
#include "onnx/views.h"

namespace benanza::fold {
namespace {

/// `function` on the elements of two inputs broadcast to `dims`. Both are taken as doubles where
/// one of them holds doubles.
template <class Function>
Literal broadcast_pair(const Literal& a, const Dims& a_dims, const Literal& b, const Dims& b_dims,
                       const Dims& dims, Function function) {
  const auto a_at = positions(broadcast_view(a_dims, dims));
  const auto b_at = positions(broadcast_view(b_dims, dims));
  return std::visit(
      [&](const auto& left, const auto& right) -> Literal {
        using Both =
            std::common_type_t<std::decay_t<decltype(left[0])>, std::decay_t<decltype(right[0])>>;
        std::vector<std::decay_t<decltype(function(Both{}, Both{}))>> result(a_at.size());
        for (std::size_t index = 0; index < result.size(); ++index) {
          result[index] = function(static_cast<Both>(left[static_cast<std::size_t>(a_at[index])]),
                                   static_cast<Both>(right[static_cast<std::size_t>(b_at[index])]));
        }
        return result;
      },
      a, b);
}

template <class Function>
std::vector<Literal> chain(const Site& site, Function function) {
  Literal result = site.literal(0);
  Dims dims = site.shape(0);
  for (std::size_t index = 1; index < site.input_count(); ++index) {
    const Dims& out = site.output_shape(0);
    result = broadcast_pair(result, dims, site.literal(index), site.shape(index), out, function);
    dims = out;
  }
  return {result};
}

struct Quotient {
  double operator()(double a, double b) const { return a / b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) throw NotExpressible("division by zero");
    return a / b;
  }
};

/// The remainder's sign follows the divisor (fmod = 0) or the dividend.
struct Remainder {
  bool like_dividend;
  double operator()(double a, double b) const {
    const double rest = std::fmod(a, b);
    return like_dividend || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) throw NotExpressible("division by zero");
    const std::int64_t rest = a % b;
    return like_dividend || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  }
};

struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};

/// A comparison or a logical operator: its result is 0 or 1.
template <class Test>
struct Truth {
  template <class T>
  std::int64_t operator()(T a, T b) const {
    return Test{}(a, b) ? 1 : 0;
  }
};

template <class Function>
std::vector<Literal> apply(const Site& site) {
  return chain(site, Function{});
}

std::vector<Literal> mod(const Site& site) {
  return chain(site, Remainder{site.node().integer("fmod", 0) != 0});
}

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
  return each(site, [](auto value) { return -value; });
}

template <auto function>
std::vector<Literal> round(const Site& site) {
  return each(site, [](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) return function(value);
    return value;
  });
}

double floor_of(double value) { return std::floor(value); }
double ceil_of(double value) { return std::ceil(value); }

std::vector<Literal> logical_not(const Site& site) {
  return each(site, [](auto value) { return static_cast<decltype(value)>(value == 0); });
}

std::vector<Literal> where(const Site& site) {
  const Dims& dims = site.output_shape(0);
  const auto condition_at = positions(broadcast_view(site.shape(0), dims));
  const Dims condition = site.integers(0);
  std::size_t index = 0;
  return {broadcast_pair(site.literal(1), site.shape(1), site.literal(2), site.shape(2), dims,
                         [&](auto a, auto b) {
                           const auto at = static_cast<std::size_t>(condition_at[index++]);
                           return condition[at] != 0 ? a : b;
                         })};
}

}  // namespace

void register_arithmetic(FoldTable& table) {
  table.add("Add", apply<std::plus<>>);
  table.add("Sub", apply<std::minus<>>);
  table.add("Mul", apply<std::multiplies<>>);
  table.add("Div", apply<Quotient>);
  table.add("Mod", mod);
  table.add("Min", apply<Least>);
  table.add("Max", apply<Greatest>);
  table.add("Sum", apply<std::plus<>>);
  table.add("Neg", negate);
  table.add("Floor", round<floor_of>);
  table.add("Ceil", round<ceil_of>);
  table.add("Equal", apply<Truth<std::equal_to<>>>);
  table.add("Less", apply<Truth<std::less<>>>);
  table.add("LessOrEqual", apply<Truth<std::less_equal<>>>);
  table.add("Greater", apply<Truth<std::greater<>>>);
  table.add("GreaterOrEqual", apply<Truth<std::greater_equal<>>>);
  table.add("And", apply<Truth<std::logical_and<>>>);
  table.add("Or", apply<Truth<std::logical_or<>>>);
  table.add("Not", logical_not);
  table.add("Where", where);
}

}  // namespace benanza::fold
