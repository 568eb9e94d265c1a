#include <cmath>
#include <functional>
#include <type_traits>

#include "generator/onnx/fold/table.h"
#include "generator/onnx/views.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::fold {
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

struct Plus {
  double operator()(double a, double b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return checked_sum(a, b); }
};

struct Minus {
  double operator()(double a, double b) const { return a - b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return checked_difference(a, b); }
};

struct Times {
  double operator()(double a, double b) const { return a * b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return checked_product(a, b); }
};

struct Quotient {
  double operator()(double a, double b) const { return a / b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) throw NotExpressible("division by zero");
    return b == -1 ? Minus{}(0, a) : a / b;
  }
};

struct Power {
  double operator()(double a, double b) const { return std::pow(a, b); }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    const double result = std::pow(static_cast<double>(a), static_cast<double>(b));
    if (!(std::abs(result) < 0x1p53)) throw NotExpressible("a value that no integer holds");
    return static_cast<std::int64_t>(result);
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
    const std::int64_t rest = b == -1 ? 0 : a % b;
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
  table.add("Add", apply<Plus>);
  table.add("Sub", apply<Minus>);
  table.add("Mul", apply<Times>);
  table.add("Pow", apply<Power>);
  table.add("Div", apply<Quotient>);
  table.add("Mod", mod);
  table.add("Min", apply<Least>);
  table.add("Max", apply<Greatest>);
  table.add("Sum", apply<Plus>);
  table.add("Equal", apply<Truth<std::equal_to<>>>);
  table.add("Less", apply<Truth<std::less<>>>);
  table.add("LessOrEqual", apply<Truth<std::less_equal<>>>);
  table.add("Greater", apply<Truth<std::greater<>>>);
  table.add("GreaterOrEqual", apply<Truth<std::greater_equal<>>>);
  table.add("And", apply<Truth<std::logical_and<>>>);
  table.add("Or", apply<Truth<std::logical_or<>>>);
  table.add("Xor", apply<Truth<std::not_equal_to<>>>);
  table.add("Where", where);
}

}  // namespace benanza::onnx::fold
