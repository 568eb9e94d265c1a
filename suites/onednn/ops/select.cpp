#include <cmath>
#include <optional>

#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

struct Linear {
  float factor = 0;
  float term = 0;
};

/// The linear function that maps 1 to one number and 0 to the other exactly; nullopt if a step is
/// inexact.
std::optional<Linear> between(const Select& shape) {
  if (!shape.a.value || !shape.b.value) return std::nullopt;
  const Linear found{.factor = *shape.a.value - *shape.b.value, .term = *shape.b.value};
  if (!std::isfinite(found.factor) || found.factor + found.term != *shape.a.value) {
    return std::nullopt;
  }
  return found;
}

/// A finite number where the condition is `finite_where`, otherwise an infinite one.
struct Infinite {
  float finite = 0;
  bool finite_where = false;
  bool is_negative = false;
};

std::optional<Infinite> infinite(const Select& shape) {
  if (!shape.a.value || !shape.b.value) return std::nullopt;
  const bool finite_where = std::isfinite(*shape.a.value);
  const float finite = finite_where ? *shape.a.value : *shape.b.value;
  const float other = finite_where ? *shape.b.value : *shape.a.value;
  if (!std::isfinite(finite) || !std::isinf(other)) return std::nullopt;
  return Infinite{finite, finite_where, other < 0};
}

/// 1 / c is 1 or infinite for a condition c, and so is 1 / (1 - c); a term makes the 1 the finite
/// number. As a binary call, since the library has only reference code for functions with others
/// behind them.
Plan plan_infinite(const Infinite& numbers, const Select& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("no integer is infinite");
  const float sign = numbers.is_negative ? -1 : 1;
  const float term = numbers.finite - sign;
  if (term + sign != numbers.finite) {
    throw harness::Unsupported(
        "oneDNN is asked to select between a finite and an infinite number only if adding one to "
        "the finite one is exact");
  }
  const Memory::desc format = context.tensor(shape.condition);
  dnnl::post_ops operations;
  if (!numbers.finite_where) {
    api::append_eltwise(operations, dnnl::algorithm::eltwise_pow, sign, -1);
  }
  api::append_eltwise(operations, dnnl::algorithm::eltwise_linear, 1, term);
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(operations);
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), attributes,
              numbers.finite_where ? dnnl::algorithm::binary_div : dnnl::algorithm::binary_sub,
              format, format, format),
          .operands = {{DNNL_ARG_SRC_1, floats(shape.condition)}},
          .result = {DNNL_ARG_DST, floats(shape.condition)},
          .fills = {{DNNL_ARG_SRC_0, numbers.finite_where ? sign : 1.0F}}};
}

/// A tensor or a number so large that it remains if an ordinary one is added, as masks have it
/// (the least fp32 number). Both are set, or none.
struct Masked {
  const Select::Alternative* tensor = nullptr;
  float number = 0;
  /// The tensor is chosen where the condition is 1.
  bool where_true = false;
};

std::optional<Masked> masked(const Select& shape) {
  constexpr float least = 1e20F;
  const bool where_true = !shape.a.value;
  const Select::Alternative& tensor = where_true ? shape.a : shape.b;
  const Select::Alternative& number = where_true ? shape.b : shape.a;
  if (tensor.value || !number.value || tensor.dims != shape.output()) return std::nullopt;
  if (!std::isfinite(*number.value) || std::abs(*number.value) < least) return std::nullopt;
  return Masked{&tensor, *number.value, where_true};
}

/// x + n (1 - c) or x + n c for a condition c, which is exact: x + 0 is x, and x + n is n.
Plan plan_masked(const Masked& choice, const Select& shape, const VariantContext& context) {
  const Dims out = shape.output();
  const Memory::desc format = context.tensor(out);
  dnnl::post_ops operations;
  if (choice.where_true) {
    api::append_eltwise(operations, dnnl::algorithm::eltwise_linear, 1, choice.number);
  }
  const int added = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len()) | DNNL_ARG_SRC_1;
  operations.append_binary(dnnl::algorithm::binary_add, format);
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(operations);
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), attributes, dnnl::algorithm::binary_mul, format,
              context.tensor(shape.condition), format),
          .operands = {{DNNL_ARG_SRC_1, floats(shape.condition)}, {added, floats(out)}},
          .result = {DNNL_ARG_DST, floats(out)},
          .fills = {{DNNL_ARG_SRC_0, choice.where_true ? -choice.number : choice.number}}};
}

/// The library has no selection. a * c + b * (1 - c) is no substitute: multiplying by 0 does not
/// hide non-finite values, which is what conditions are often for. Two finite numbers are a linear
/// function of the condition; a finite and an infinite one are of its inverse.
Plan plan_select(const Select& shape, const VariantContext& context) {
  const auto numbers = between(shape);
  if (!numbers) {
    if (const auto choice = infinite(shape)) return plan_infinite(*choice, shape, context);
    const auto choice = masked(shape);
    if (choice && context.precision() == Precision::fp32)
      return plan_masked(*choice, shape, context);
    throw harness::Unsupported(
        "oneDNN is not asked to select by a condition, which its version 2 cannot, but between "
        "two numbers, or a tensor and the largest ones at fp32");
  }
  const Memory::desc format = context.tensor(shape.condition);
  return {.implementation = api::implementation_of<dnnl::eltwise_forward>(
              context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
              dnnl::algorithm::eltwise_linear, format, format, numbers->factor, numbers->term),
          .operands = {{DNNL_ARG_SRC, floats(shape.condition)}},
          .result = {DNNL_ARG_DST, floats(shape.condition)}};
}

}  // namespace

void register_select(WayTable& table) {
  table.add(
      family_of_one<Select>([](const Select& shape) { return channel_layouts(shape.output()); },
                            [](const Select& shape, const Problem&, const VariantContext& context) {
                              return plan_select(shape, context);
                            }));
}

}  // namespace benanza::onednn
