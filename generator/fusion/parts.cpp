#include "generator/fusion/parts.h"

#include <cmath>

namespace benanza::fusion {
namespace {

Problem of(Shape shape) { return {std::move(shape), {}}; }

Problem combine(BinaryKind kind, Dims a, Dims b, bool constant = false) {
  return of(Binary{.kind = kind, .a = std::move(a), .b = std::move(b), .constant_b = constant});
}

Problem function(ActivationKind kind, Dims dims, float alpha = 0, float beta = 0) {
  return of(Activation{.input = std::move(dims), .kind = kind, .alpha = alpha, .beta = beta});
}

/// x / sqrt(mean of x^2 + epsilon) * scale + bias.
std::vector<Problem> parts(const LayerNormalization& shape) {
  if (!shape.root_mean_square) return {};
  const Dims all{shape.rows, shape.length};
  const Dims row{shape.rows, 1};
  const Dims column{1, shape.length};
  std::vector<Problem> found{
      combine(BinaryKind::mul, all, all),
      of(Reduction{.kind = ReductionKind::mean, .input = all, .axes = {1}}),
      function(ActivationKind::linear, row, 1, shape.epsilon),
      function(ActivationKind::sqrt, row),
      combine(BinaryKind::div, all, row),
  };
  if (shape.scale) found.push_back(combine(BinaryKind::mul, all, column, true));
  if (shape.bias) found.push_back(combine(BinaryKind::add, all, column, true));
  return found;
}

/// The elements of each point change places; x cos + swapped sin, with the signs in the table of
/// sines.
std::vector<Problem> parts(const Rotary& shape) {
  const Dims& dims = shape.input;
  const Dims strides = dense_strides(dims);
  Copy swap{.dims = dims, .from = strides, .to = strides};
  if (shape.interleaved) {
    swap.dims.push_back(1);
    swap.dims[3] = shape.half();
    swap.from = {strides[0], strides[1], strides[2], 2, 1};
  } else {
    swap.dims[3] = shape.half();
    swap.from = strides;
  }
  swap.to = swap.from;
  Dims table = shape.table;
  table.back() = dims.back();
  const Problem half = of(swap.canonical());
  return {half, half, combine(BinaryKind::mul, dims, table), combine(BinaryKind::mul, dims, table),
          combine(BinaryKind::add, dims, dims)};
}

Dims extents(const Select::Alternative& alternative, std::size_t rank) {
  return alternative.value ? Dims(rank, 1) : alternative.dims;
}

bool is_infinite(const Select::Alternative& alternative) {
  return alternative.value && std::isinf(*alternative.value);
}

Problem combine_either(BinaryKind kind, Dims a, Dims b) {
  if (element_count(a) < element_count(b)) std::swap(a, b);
  return combine(kind, std::move(a), std::move(b));
}

/// The condition times a, and one minus the condition times b, of which one may be left out as 0.
/// Nothing times infinity is no number:
/// infinity, which hides what it replaces, is added as a logarithm of 0.
std::vector<Problem> parts(const Select& shape) {
  const std::size_t rank = shape.condition.size();
  const Problem inverse = function(ActivationKind::linear, shape.condition, -1, 1);
  const Problem logarithm = function(ActivationKind::log, shape.condition);
  if (is_infinite(shape.a) && is_infinite(shape.b)) return {};
  if (is_infinite(shape.a)) {
    return {inverse, logarithm,
            combine_either(BinaryKind::add, extents(shape.b, rank), shape.condition)};
  }
  if (is_infinite(shape.b)) {
    return {logarithm, combine_either(BinaryKind::add, extents(shape.a, rank), shape.condition)};
  }
  if (shape.b.value == 0.0F) {
    return {combine_either(BinaryKind::mul, shape.condition, extents(shape.a, rank))};
  }
  if (shape.a.value == 0.0F) {
    return {inverse, combine_either(BinaryKind::mul, shape.condition, extents(shape.b, rank))};
  }
  const auto output = [](const Problem& problem) {
    return std::get<Binary>(problem.shape).output();
  };
  const Problem a = combine_either(BinaryKind::mul, shape.condition, extents(shape.a, rank));
  const Problem b = combine_either(BinaryKind::mul, shape.condition, extents(shape.b, rank));
  return {inverse, a, b, combine_either(BinaryKind::add, output(a), output(b))};
}

template <class Other>
std::vector<Problem> parts(const Other&) {
  return {};
}

}  // namespace

std::vector<Problem> parts(const Problem& problem) {
  if (problem.epilogue != Epilogue{} || problem.packed) return {};
  return std::visit([](const auto& shape) { return parts(shape); }, problem.shape);
}

std::vector<Fusion> layers_by_parts(const Flow& flow) {
  std::vector<Fusion> found;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const LoweredLayer& layer = flow.layer(index);
    if (layer.cost != Cost::measured || !layer.precision.empty()) continue;
    std::vector<std::string> keys;
    bool any = false;
    for (const Call& call : layer.calls) {
      const std::vector<Problem> apart = parts(call.problem);
      any = any || !apart.empty();
      if (apart.empty()) keys.push_back(key(call.problem));
      for (const Problem& part : apart) keys.push_back(key(part));
    }
    if (!any) continue;
    found.push_back({.pattern = "parts",
                     .layers = {index},
                     .problem = keys.front(),
                     .also = {keys.begin() + 1, keys.end()},
                     .whole = true});
  }
  return found;
}

}  // namespace benanza::fusion
