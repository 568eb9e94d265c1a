#include "generator/fusion/parts.h"

#include <cmath>

namespace benanza::fusion {
namespace {

Source own(int operand) { return {.kind = Source::Kind::input, .index = operand}; }
Source part(int index) { return {.kind = Source::Kind::call, .index = index}; }

Call of(Shape shape, std::vector<Source> operands = {}) {
  return {.problem = {std::move(shape), {}}, .operands = std::move(operands)};
}

Binary combined(BinaryKind kind, Dims a, Dims b, bool constant = false) {
  return {.kind = kind, .a = std::move(a), .b = std::move(b), .constant_b = constant};
}

Activation function(ActivationKind kind, Dims dims, float alpha = 0, float beta = 0) {
  return {.input = std::move(dims), .kind = kind, .alpha = alpha, .beta = beta};
}

/// x / sqrt(mean of x^2 + epsilon) * scale + bias.
std::vector<Call> parts(const LayerNormalization& shape) {
  if (!shape.root_mean_square) return {};
  const Dims all{shape.rows, shape.length};
  const Dims row{shape.rows, 1};
  const Dims column{1, shape.length};
  std::vector<Call> found{
      of(combined(BinaryKind::mul, all, all), {own(0), own(0)}),
      of(Reduction{.kind = ReductionKind::mean, .input = all, .axes = {1}}, {part(0)}),
      of(function(ActivationKind::linear, row, 1, shape.epsilon), {part(1)}),
      of(function(ActivationKind::sqrt, row), {part(2)}),
      of(combined(BinaryKind::div, all, row), {own(0), part(3)}),
  };
  if (shape.scale) {
    found.push_back(of(combined(BinaryKind::mul, all, column, true), {part(4), own(1)}));
  }
  if (shape.bias) {
    const int last = static_cast<int>(found.size()) - 1;
    found.push_back(
        of(combined(BinaryKind::add, all, column, true), {part(last), own(shape.scale ? 2 : 1)}));
  }
  return found;
}

/// A table of half rows, of which each is repeated, times these signs.
Source repeated(int operand, std::vector<float> signs) {
  return {.kind = Source::Kind::input, .index = operand, .numbers = std::move(signs)};
}

/// The elements of each point change places; x cos + swapped sin, with the signs in the table of
/// sines. What such a table is of neighbours, or of whole rows, is not known.
std::vector<Call> parts(const Rotary& shape) {
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
  Call first = of(swap.canonical(), {own(0)});
  first.writes_part = true;
  Call second = first;
  first.from_offset = second.to_offset = shape.half();
  const Binary product = combined(BinaryKind::mul, dims, table);
  std::vector<Call> found{first, second, of(product, {own(0), repeated(1, {1, 1})}),
                          of(product, {part(0), repeated(2, {-1, 1})}),
                          of(combined(BinaryKind::add, dims, dims), {part(2), part(3)})};
  if (shape.interleaved || shape.table.back() != shape.half()) {
    for (Call& one : found) one.operands.clear();
  }
  return found;
}

Dims extents(const Select::Alternative& alternative, std::size_t rank) {
  return alternative.value ? Dims(rank, 1) : alternative.dims;
}

bool is_infinite(const Select::Alternative& alternative) {
  return alternative.value && std::isinf(*alternative.value);
}

struct Term {
  Dims dims;
  Source source;
};

Call combine_either(BinaryKind kind, Term a, Term b) {
  if (element_count(a.dims) < element_count(b.dims)) std::swap(a, b);
  return of(combined(kind, std::move(a.dims), std::move(b.dims)),
            {std::move(a.source), std::move(b.source)});
}

/// Operand `index` of the choice, unless it is a number.
Term term_of(const Select::Alternative& alternative, std::size_t rank, int index) {
  Term term{extents(alternative, rank), own(index)};
  if (alternative.value) {
    term.source = {
        .kind = Source::Kind::attribute, .index = Source::stated, .numbers = {*alternative.value}};
  }
  return term;
}

/// The condition times a, and one minus the condition times b, of which one may be left out as 0.
/// Nothing times infinity is no number: infinity, which hides what it replaces, is added as a
/// logarithm of 0.
std::vector<Call> parts(const Select& shape) {
  const std::size_t rank = shape.condition.size();
  const Dims& dims = shape.condition;
  const Call inverse = of(function(ActivationKind::linear, dims, -1, 1), {own(0)});
  const auto logarithm = [&](Source x) {
    return of(function(ActivationKind::log, dims), {std::move(x)});
  };
  if (is_infinite(shape.a) && is_infinite(shape.b)) return {};
  const Term a = term_of(shape.a, rank, 1);
  const Term b = term_of(shape.b, rank, shape.a.value ? 1 : 2);
  if (is_infinite(shape.a)) {
    return {inverse, logarithm(part(0)), combine_either(BinaryKind::add, b, {dims, part(1)})};
  }
  if (is_infinite(shape.b)) {
    return {logarithm(own(0)), combine_either(BinaryKind::add, a, {dims, part(0)})};
  }
  if (shape.b.value == 0.0F) return {combine_either(BinaryKind::mul, {dims, own(0)}, a)};
  if (shape.a.value == 0.0F) {
    return {inverse, combine_either(BinaryKind::mul, {dims, part(0)}, b)};
  }
  const auto output = [](const Call& call) {
    return std::get<Binary>(call.problem.shape).output();
  };
  const Call chosen = combine_either(BinaryKind::mul, {dims, own(0)}, a);
  const Call other = combine_either(BinaryKind::mul, {dims, part(0)}, b);
  return {inverse, chosen, other,
          combine_either(BinaryKind::add, {output(chosen), part(1)}, {output(other), part(2)})};
}

template <class Other>
std::vector<Call> parts(const Other&) {
  return {};
}

/// `call` of a layer whose call i is its part last[i].
void add_own(Call call, const std::vector<int>& last, LayerByParts& layer) {
  for (Source& source : call.operands) {
    if (source.kind != Source::Kind::call) continue;
    source.index = last[static_cast<std::size_t>(source.index)];
  }
  layer.calls.push_back(std::move(call));
}

/// The parts of `call`, which are `apart`.
void add_parts(const Call& call, const std::vector<Call>& apart, const std::vector<int>& last,
               LayerByParts& layer) {
  const auto first = static_cast<int>(layer.calls.size());
  for (Call one : apart) {
    layer.known = layer.known && !one.operands.empty();
    for (Source& source : one.operands) {
      if (source.kind == Source::Kind::call) {
        source.index += first;
      } else if (source.kind == Source::Kind::input) {
        const std::vector<float> numbers = std::move(source.numbers);
        source = call.operands.at(static_cast<std::size_t>(source.index));
        if (!numbers.empty()) source.numbers = numbers;
        if (source.kind != Source::Kind::call) continue;
        source.index = last[static_cast<std::size_t>(source.index)];
      }
    }
    layer.calls.push_back(std::move(one));
  }
  Call& made = layer.calls.back();
  made.output = call.output;
  made.writes_part = call.writes_part;
}

}  // namespace

std::vector<Call> parts(const Problem& problem) {
  if (problem.epilogue != Epilogue{} || problem.packed) return {};
  return std::visit([](const auto& shape) { return parts(shape); }, problem.shape);
}

std::vector<LayerByParts> layers_by_parts(const Flow& flow) {
  std::vector<LayerByParts> found;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const LoweredLayer& layer = flow.layer(index);
    if (layer.cost != Cost::measured || !layer.precision.empty()) continue;
    LayerByParts made;
    std::vector<int> last;
    bool any = false;
    for (const Call& call : layer.calls) {
      const std::vector<Call> apart = parts(call.problem);
      any = any || !apart.empty();
      if (apart.empty()) add_own(call, last, made);
      if (!apart.empty()) add_parts(call, apart, last, made);
      last.push_back(static_cast<int>(made.calls.size()) - 1);
    }
    if (!any) continue;
    made.pattern = "parts";
    made.layers = {index};
    made.whole = true;
    made.problem = key(made.calls.front().problem);
    for (std::size_t call = 1; call < made.calls.size(); ++call) {
      made.also.push_back(key(made.calls[call].problem));
    }
    found.push_back(std::move(made));
  }
  return found;
}

}  // namespace benanza::fusion
