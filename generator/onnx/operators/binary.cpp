#include <onnx/onnx_pb.h>
#include <cmath>
#include <functional>
#include <type_traits>

#include "core/base/error.h"
#include "core/problem/ops/binary.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Elementwise functions of two or more tensors broadcast to each other.
namespace benanza::onnx {
namespace {

/// `function` on the elements of two inputs broadcast to `dims`. Converts both to double if one of
/// them holds doubles.
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
std::vector<Literal> chain(const NodeView& node, Function function) {
  Literal result = node.literal(0);
  Dims dims = node.shape(0);
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    const Dims& out = node.output_shape(0);
    result = broadcast_pair(result, dims, node.literal(index), node.shape(index), out, function);
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

/// The remainder has the sign of the divisor (fmod = 0) or of the dividend.
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

/// Comparisons and logical operators: the result is 0 or 1.
template <class Test>
struct Truth {
  template <class T>
  std::int64_t operator()(T a, T b) const {
    return Test{}(a, b) ? 1 : 0;
  }
};

template <class Function>
std::vector<Literal> fold_apply(const NodeView& node) {
  return chain(node, Function{});
}

std::vector<Literal> fold_mod(const NodeView& node) {
  return chain(node, Remainder{node.flag("fmod")});
}

std::vector<TensorFacts> broadcast_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    dims = broadcast_dims(dims, node.shape(index));
  }
  return {{node.input(0).type, dims}};
}

std::vector<TensorFacts> compare_shape(const NodeView& node) {
  return {{::onnx::TensorProto::BOOL, broadcast_shape(node)[0].shape}};
}

/// The second operand, extended for broadcasting as of opset 7. Before, only attribute broadcast
/// enabled it, aligned at attribute axis of the first operand, by default at its end.
Dims second_operand(const NodeView& node) {
  const Dims& a = node.shape(0);
  Dims b = node.shape(1);
  if (node.opset() >= 7 || a == b) return b;
  if (!node.flag("broadcast")) {
    throw NotExpressible("combines " + join(a, 'x') + " and " + join(b, 'x') +
                         " without broadcasting");
  }
  if (!node.has("axis") || b.size() > a.size()) return b;
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), a.size()));
  if (axis + b.size() > a.size()) {
    throw Error(join(b, 'x') + " does not lie at axis " + std::to_string(axis) + " of " +
                join(a, 'x'));
  }
  b.insert(b.end(), a.size() - axis - b.size(), 1);
  return b;
}

/// True if the second operand is a single number that leaves the first one as it is: the factor of
/// PyTorch's addcmul, say.
template <BinaryKind kind>
bool changes_nothing(const NodeView& node) {
  constexpr bool is_sum = kind == BinaryKind::add || kind == BinaryKind::sub;
  constexpr bool is_product = kind == BinaryKind::mul || kind == BinaryKind::div;
  if constexpr (!is_sum && !is_product) return false;
  return node.input(1).literal && element_count(node.shape(1)) == 1 &&
         node.output_shape(0) == node.shape(0) && node.scalar(1, 2) == (is_sum ? 0 : 1);
}

template <BinaryKind kind>
Lowered lower_binary(const NodeView& node) {
  if (changes_nothing<kind>(node)) return free_layer("its operand, unchanged");
  const Dims& a = node.shape(0);
  const Dims b = second_operand(node);
  return measured({elementwise_call(kind, operand_of(node, 0, a), operand_of(node, 1, b))});
}

/// The node's result is boolean; the library's is 1 or 0 in the type of the operands. Boolean
/// operands are taken as 1 or 0, too.
template <BinaryKind kind>
Lowered lower_truth(const NodeView& node) {
  Lowered lowered = lower_binary<kind>(node);
  lowered.types = Types::checked_by_lowering;
  return lowered;
}

template <BinaryKind kind>
Lowered lower_compare(const NodeView& node) {
  const int type = node.input(0).type;
  if (!is_floating(type) && type != ::onnx::TensorProto::BOOL) {
    throw NotExpressible("a comparison of " + type_name(type));
  }
  return lower_truth<kind>(node);
}

template <BinaryKind kind>
Lowered lower_logic(const NodeView& node) {
  const int type = node.input(0).type;
  if (type != ::onnx::TensorProto::BOOL) throw NotExpressible("logic of " + type_name(type));
  return lower_truth<kind>(node);
}

/// A single constant exponent is a parameter of the call.
Lowered lower_power(const NodeView& node) {
  if (node.input(1).literal && element_count(node.shape(1)) == 1 &&
      node.output_shape(0) == node.shape(0)) {
    const auto exponent = static_cast<float>(node.scalar(1, 1));
    if (exponent == 1) return free_layer("the first power");
    const bool root = exponent == 0.5F;
    return measured(
        {function_call(node.extents(0), root ? ActivationKind::sqrt : ActivationKind::pow,
                       from_input(0), root ? 0 : exponent)});
  }
  if (!is_floating(node.input(1).type)) throw NotExpressible("exponents that are integers");
  return lower_binary<BinaryKind::power>(node);
}

/// The slope broadcasts to the input, never the other way round.
Lowered lower_prelu(const NodeView& node) {
  Dims slope = node.shape(1);
  // Before opset 7, a slope may have one value per channel.
  if (node.opset() < 7 && slope.size() == 1 && node.shape(0).size() > 2) {
    slope.insert(slope.end(), node.shape(0).size() - 2, 1);
  }
  Call result =
      elementwise_call(BinaryKind::prelu, operand_of(node, 0), operand_of(node, 1, slope));
  if (output(result.problem) != node.extents(0)) {
    throw Error("a slope of " + join(node.shape(1), 'x') + " does not broadcast to " +
                join(node.shape(0), 'x'));
  }
  return measured({result});
}

/// A left-fold over the inputs, one call with two operands each.
template <BinaryKind kind>
Lowered lower_variadic(const NodeView& node) {
  if (node.input_count() == 1) return free_layer("its only input");
  ElementwiseOperand total = operand_of(node, 0);
  std::vector<Call> calls;
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    calls.push_back(elementwise_call(kind, total, operand_of(node, index)));
    total = {output(calls.back().problem), false, from_call(static_cast<int>(index) - 1)};
  }
  return measured(std::move(calls));
}

/// The sum divided by the number of inputs.
Lowered lower_mean(const NodeView& node) {
  Lowered lowered = lower_variadic<BinaryKind::add>(node);
  if (lowered.cost == Cost::free) return lowered;
  const auto last = static_cast<int>(lowered.calls.size()) - 1;
  lowered.calls.push_back(function_call(output(lowered.calls.back().problem),
                                        ActivationKind::linear, from_call(last),
                                        1.0F / static_cast<float>(node.input_count())));
  return lowered;
}

/// Before opset 7; second_operand() asks for them where they change the call.
std::vector<std::string_view> of_old_broadcasting() { return {"axis", "broadcast"}; }

template <BinaryKind kind, class Function>
Operator arithmetic() {
  return {.shapes = {like_first_until_5},
          .fold = fold_apply<Function>,
          .lower = lower_binary<kind>,
          .copies_integers = true,
          .idle_attributes = of_old_broadcasting()};
}

template <class Test>
Operator truth(LowerFunction lower) {
  return {.fold = fold_apply<Truth<Test>>,
          .lower = lower,
          .copies_integers = true,
          .idle_attributes = of_old_broadcasting()};
}

/// Of any number of inputs.
template <BinaryKind kind, class Function>
Operator variadic() {
  return {.shapes = {like_first_until_5},
          .fold = fold_apply<Function>,
          .lower = lower_variadic<kind>,
          .copies_integers = true};
}

}  // namespace

void register_binary(OperatorTable& table) {
  table.add("Add", arithmetic<BinaryKind::add, Plus>());
  table.add("Sub", arithmetic<BinaryKind::sub, Minus>());
  table.add("Mul", arithmetic<BinaryKind::mul, Times>());
  table.add("Div", arithmetic<BinaryKind::div, Quotient>());
  table.add("Pow", {.fold = fold_apply<Power>,
                    .lower = lower_power,
                    .copies_integers = true,
                    .idle_attributes = of_old_broadcasting()});
  table.add("PRelu", {.shapes = {like_first_until_5}, .lower = lower_prelu});
  table.add("Mod", {.fold = fold_mod,
                    .unsupported = "no library here has remainders",
                    .copies_integers = true,
                    .idle_attributes = {"fmod"}});

  Operator equal = truth<std::equal_to<>>(lower_compare<BinaryKind::eq>);
  equal.shapes = {{compare_shape, 18}};
  table.add("Equal", equal);
  table.add("Less", truth<std::less<>>(lower_compare<BinaryKind::lt>));
  table.add("LessOrEqual", truth<std::less_equal<>>(lower_compare<BinaryKind::le>));
  table.add("Greater", truth<std::greater<>>(lower_compare<BinaryKind::gt>));
  table.add("GreaterOrEqual", truth<std::greater_equal<>>(lower_compare<BinaryKind::ge>));
  table.add("And", truth<std::logical_and<>>(lower_logic<BinaryKind::min>));
  table.add("Or", truth<std::logical_or<>>(lower_logic<BinaryKind::max>));
  table.add("Xor", truth<std::not_equal_to<>>(lower_logic<BinaryKind::ne>));
  table.add("BitShift", {.unsupported = "no library here has arithmetic of bits",
                         .copies_integers = true,
                         .idle_attributes = {"direction"}});
  for (const auto* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
    table.add(op, {.shapes = {{broadcast_shape}},
                   .unsupported = "no library here has arithmetic of bits",
                   .copies_integers = true});
  }

  table.add("Sum", variadic<BinaryKind::add, Plus>());
  table.add("Max", variadic<BinaryKind::max, Greatest>());
  table.add("Min", variadic<BinaryKind::min, Least>());
  table.add("Mean", {.shapes = {like_first_until_5}, .lower = lower_mean});
}

}  // namespace benanza::onnx
