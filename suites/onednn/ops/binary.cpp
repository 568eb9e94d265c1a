#include <limits>
#include <optional>
#include <utility>

#include "core/base/lookup.h"
#include "core/library/algorithm.h"
#include "core/problem/text.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

constexpr std::pair<BinaryKind, dnnl::algorithm> binary_algorithms[] = {
    {BinaryKind::add, dnnl::algorithm::binary_add}, {BinaryKind::sub, dnnl::algorithm::binary_sub},
    {BinaryKind::mul, dnnl::algorithm::binary_mul}, {BinaryKind::div, dnnl::algorithm::binary_div},
    {BinaryKind::max, dnnl::algorithm::binary_max}, {BinaryKind::min, dnnl::algorithm::binary_min},
    {BinaryKind::eq, dnnl::algorithm::binary_eq},   {BinaryKind::ne, dnnl::algorithm::binary_ne},
    {BinaryKind::lt, dnnl::algorithm::binary_lt},   {BinaryKind::le, dnnl::algorithm::binary_le},
    {BinaryKind::gt, dnnl::algorithm::binary_gt},   {BinaryKind::ge, dnnl::algorithm::binary_ge}};

dnnl::algorithm algorithm(BinaryKind kind) {
  if (kind == BinaryKind::power) {
    throw harness::Unsupported("oneDNN's pow takes one exponent for all elements");
  }
  return found_in(binary_algorithms, kind).value();
}

bool commutes(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::max ||
         kind == BinaryKind::min;
}

/// What gives the same of operands in the other order.
struct Swapped {
  BinaryKind kind;
  /// What then follows: x to its opposite, or to its inverse.
  std::optional<dnnl::algorithm> function = std::nullopt;
  float alpha = 1;
  float beta = 0;
};

constexpr std::pair<BinaryKind, Swapped> swapped[] = {
    {BinaryKind::sub, {BinaryKind::sub, dnnl::algorithm::eltwise_linear, -1, 0}},
    {BinaryKind::div, {BinaryKind::div, dnnl::algorithm::eltwise_pow, 1, -1}},
    {BinaryKind::lt, {BinaryKind::gt}},
    {BinaryKind::le, {BinaryKind::ge}},
    {BinaryKind::gt, {BinaryKind::lt}},
    {BinaryKind::ge, {BinaryKind::le}},
    {BinaryKind::eq, {BinaryKind::eq}},
    {BinaryKind::ne, {BinaryKind::ne}}};

/// The library is faster if it broadcasts its second source, and has only reference code for some
/// first ones: swaps commutative operands for that, and with `swaps` all.
/// `shape` may have fewer axes than the problem, with the same elements in the same order.
Plan plan_binary(Binary shape, const Problem& problem, const VariantContext& context,
                 const std::optional<Swapped>& swaps = std::nullopt) {
  Argument a{DNNL_ARG_SRC_0, floats(shape.a)};
  Argument b{DNNL_ARG_SRC_1, floats(shape.b)};
  Dims first = shape.a;
  Dims second = shape.b;
  const Dims out = shape.output();
  PostOps steps = steps_of(problem, context, out);
  if (swaps || (first != out && commutes(shape.kind))) {
    std::swap(a.id, b.id);
    std::swap(first, second);
  }
  if (swaps) {
    shape.kind = swaps->kind;
    if (swaps->function) {
      dnnl::post_ops operations;
      api::append_eltwise(operations, *swaps->function, swaps->alpha, swaps->beta);
      steps.attributes.set_post_ops(operations);
    }
  }
  Plan plan{.implementation = api::implementation_of<dnnl::binary>(
                context.engine(), steps.attributes, algorithm(shape.kind), context.tensor(first),
                context.tensor(second), context.tensor(out)),
            .operands = {a, b},
            .result = {DNNL_ARG_DST, floats(out)}};
  add_steps(plan, steps);
  return plan;
}

/// One slope for each channel, where the problem has one for all: of a constant one, the library's
/// fast code.
Argument slopes(const Binary& shape) {
  Argument slope{DNNL_ARG_WEIGHTS, floats(shape.b)};
  if (!shape.constant_b || element_count(shape.b) != 1 || shape.a.size() < 2) return slope;
  Dims wide(shape.a.size(), 1);
  wide[1] = shape.a[1];
  slope.values = floats(wide);
  slope.rearrange = [count = wide[1]](std::span<const float> values) {
    return std::vector<float>(static_cast<std::size_t>(count), values.front());
  };
  return slope;
}

/// Uses the library's prelu primitive.
Plan plan_prelu(const Binary& shape, const Problem& problem, const VariantContext& context) {
  if (shape.a != shape.output())
    throw harness::Unsupported("oneDNN broadcasts only the slope of a prelu");
  const Argument slope = slopes(shape);
  const Memory::desc format = context.tensor(shape.a);
  const PostOps steps = steps_of(problem, context, shape.a);
  Plan plan{.implementation = api::implementation_of<dnnl::prelu_forward>(
                context.engine(), steps.attributes, dnnl::prop_kind::forward_inference, format,
                context.chosen_by_library(api::dims(slope.values)), format),
            .operands = {{DNNL_ARG_SRC, floats(shape.a)}, slope},
            .result = {DNNL_ARG_DST, floats(shape.a)}};
  add_steps(plan, steps);
  return plan;
}

/// The same elements in the fewest axes (merge_axes()).
/// The library has fast code for few ways to broadcast, which it knows by the places of the axes:
/// along all but axis 1, or along axis 1 alone. Empty if the axes stay as they are.
std::optional<Binary> with_fewer_axes(const Binary& shape) {
  std::vector<Dims> merged = merge_axes({shape.a, shape.b});
  if (merged[0].empty()) return std::nullopt;
  // Rows with an element each: their axis becomes axis 1.
  if (merged[0].size() == 2 && (merged[0].back() == 1 || merged[1].back() == 1)) {
    for (Dims& dims : merged) dims.insert(dims.begin(), 1);
  }
  const Binary folded{.kind = shape.kind,
                      .a = std::move(merged[0]),
                      .b = std::move(merged[1]),
                      .constant_b = shape.constant_b};
  if (folded.a == shape.a && folded.b == shape.b) return std::nullopt;
  return folded;
}

/// A number, and a call that leaves a as it is: 1 * a, min(inf, a) or max(-inf, a).
struct Neutral {
  dnnl::algorithm first;
  float value;
};

Neutral neutral_for(BinaryKind kind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (kind == BinaryKind::min) return {dnnl::algorithm::binary_min, infinity};
  if (kind == BinaryKind::max) return {dnnl::algorithm::binary_max, -infinity};
  return {dnnl::algorithm::binary_mul, 1};
}

/// With AVX-512, the library (2.6, 3.2) offers a comparison as a step behind rows of any length,
/// but cannot make the call unless they are whole vectors; version 3.2 then makes no other call of
/// the thread either.
bool compares_parts_of_vectors(const Binary& shape) {
  constexpr std::int64_t vector_elements = 16;
  using enum BinaryKind;
  const bool compares = shape.kind == eq || shape.kind == ne || shape.kind == lt ||
                        shape.kind == le || shape.kind == gt || shape.kind == ge;
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  constexpr auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  return compares && shape.output().back() % vector_elements != 0 && (isa & wanted) == wanted;
}

/// If both operands broadcast, the library has reference code alone: a third tensor of the result's
/// extents is combined with one and, behind that, with the other.
Plan plan_filled(const Binary& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("oneDNN fills no tensor of integers here");
  if (compares_parts_of_vectors(shape)) {
    throw harness::Unsupported("oneDNN claims this comparison on partial vectors, then fails");
  }
  const Neutral neutral = neutral_for(shape.kind);
  const Memory::desc out = context.plain(shape.output());
  dnnl::post_ops operations;
  operations.append_binary(algorithm(shape.kind), context.plain(shape.b));
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(operations);
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), attributes, neutral.first, out, context.plain(shape.a), out),
          .operands = {{DNNL_ARG_SRC_1, floats(shape.a)},
                       {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, floats(shape.b)}},
          .result = {DNNL_ARG_DST, floats(shape.output())},
          .fills = {{DNNL_ARG_SRC_0, neutral.value}}};
}

/// Below, repeating pixel by pixel takes longer than element by element.
constexpr std::int64_t least_channels = 8;

/// Whether the library has only reference code for the shape, or none.
bool has_slow_code_alone(const Binary& shape, const Problem& problem,
                         const VariantContext& context) {
  try {
    return is_reference_code(plan_binary(shape, problem, context).implementation.name());
  } catch (const dnnl::error&) {
    return true;
  }
}

/// The same with one operand repeated to the result's extents first.
Plan plan_expanded(const Binary& shape, const Problem& problem, const VariantContext& context,
                   bool expands_a) {
  const Dims out = shape.output();
  const Dims& narrow = expands_a ? shape.a : shape.b;
  const std::vector<Dims> ends = merge_axes({narrow, out});
  Binary wide = shape;
  (expands_a ? wide.a : wide.b) = out;
  const Binary fewest = with_fewer_axes(wide).value_or(wide);
  Plan plan = plan_binary(fewest, problem, context);
  const std::size_t operand = expands_a ? 0 : 1;
  const bool has_pixels = ends[0].size() > 1 && ends[0].back() >= least_channels;
  const Repetition repeated = has_pixels ? repetition_of_pixels(context, ends[0], ends[1])
                                         : repetition(context, ends[0], ends[1]);
  plan.operands[operand].values = repeated.source;
  plan.before = {{operand, [call = repeated.call](const Memory::desc&) { return call; }}};
  return plan;
}

/// An outer product is a matrix product whose sums have one term. Both operands have one axis more
/// than the batch: m x 1 and 1 x n. Empty if it is something else.
std::optional<Gemm> outer_product(const Binary& shape) {
  const std::size_t rank = shape.a.size();
  if (shape.kind != BinaryKind::mul || rank < 2 || rank > 3) return std::nullopt;
  const Dims& columns = shape.a.back() == 1 ? shape.a : shape.b;
  const Dims& rows = shape.a.back() == 1 ? shape.b : shape.a;
  if (columns.back() != 1 || rows[rank - 2] != 1) return std::nullopt;
  if (rank == 3 && columns[0] != rows[0]) return std::nullopt;
  Gemm product{.m = columns[rank - 2], .n = rows.back(), .k = 1, .batch_a = {}, .batch_b = {}};
  if (rank == 3) product.batch_a = product.batch_b = {columns[0]};
  return product;
}

Plan plan_product(const Binary& shape, const Gemm& product, const VariantContext& context) {
  Plan plan = plan_matmul(product, {.shape = product, .epilogue = {}}, context);
  if (shape.a.back() != 1) std::swap(plan.operands[0], plan.operands[1]);
  return plan;
}

std::vector<Attempt> binary_attempts(const Binary& shape, const Problem& problem,
                                     const VariantContext& context) {
  if (shape.kind == BinaryKind::prelu) {
    return {{.prefix = "", .plan = [=] { return plan_prelu(shape, problem, context); }}};
  }
  std::vector<Attempt> ways{
      {.prefix = "", .plan = [=] { return plan_binary(shape, problem, context); }}};
  // Axes merge only where elements lie in the order of the axes.
  if (context.layout() != Layout::nchw && context.layout() != Layout::plain) return ways;
  const auto folded = with_fewer_axes(shape);
  const VariantContext plain(context.engine(), context.precision(), Layout::plain);
  if (folded) {
    ways.push_back(
        {.prefix = "folded.", .plan = [=] { return plan_binary(*folded, problem, plain); }});
  }
  const bool both_broadcast = shape.a != shape.output() && shape.b != shape.output();
  if (shape.a != shape.output() && !both_broadcast && !commutes(shape.kind) &&
      problem.epilogue.steps.empty()) {
    if (const auto other = found_in(swapped, shape.kind)) {
      const Binary& fewest = folded ? *folded : shape;
      ways.push_back({.prefix = "swapped.",
                      .plan = [=] { return plan_binary(fewest, problem, plain, other); }});
    }
  }
  if (!both_broadcast && shape.a != shape.b && problem.epilogue.steps.empty() &&
      !context.integers() && has_slow_code_alone(folded ? *folded : shape, problem, plain)) {
    const bool expands_a = shape.a != shape.output();
    const Binary& fewest = folded ? *folded : shape;
    ways.push_back({.prefix = expands_a ? "expanded_a." : "expanded_b.",
                    .plan = [=] { return plan_expanded(fewest, problem, plain, expands_a); }});
  }
  if (both_broadcast && problem.epilogue.steps.empty()) {
    const Binary& fewest = folded ? *folded : shape;
    ways.push_back({.prefix = "filled.", .plan = [=] { return plan_filled(fewest, plain); }});
    ways.push_back({.prefix = "expanded_a.",
                    .plan = [=] { return plan_expanded(fewest, problem, plain, true); }});
    if (const auto product = outer_product(fewest); product && !context.integers()) {
      ways.push_back(
          {.prefix = "product.", .plan = [=] { return plan_product(fewest, *product, plain); }});
    }
    if (commutes(shape.kind)) {
      ways.push_back({.prefix = "expanded_b.",
                      .plan = [=] { return plan_expanded(fewest, problem, plain, false); }});
    }
  }
  return ways;
}

}  // namespace

void register_binary(WayTable& table) {
  table.add(family_of<Binary>([](const Binary& shape) { return channel_layouts(shape.output()); },
                              binary_attempts, Steps::appended));
}

}  // namespace benanza::onednn
