#include "generator/fusion/whole/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/problem/function.h"

namespace benanza::fusion {
namespace {

/// Removes leading extents of 1.
Dims stripped(Dims dims) {
  dims.erase(dims.begin(),
             std::ranges::find_if(dims, [](std::int64_t extent) { return extent != 1; }));
  return dims;
}

/// Sets the last axes, which hold `length` elements, to 1; empty if there are no such axes.
std::optional<Dims> row_extents(Dims dims, std::int64_t length) {
  std::int64_t elements = 1;
  for (std::size_t axis = dims.size(); axis-- > 0 && elements < length;) {
    elements *= dims[axis];
    dims[axis] = 1;
  }
  if (elements != length) return std::nullopt;
  return dims;
}

/// The number of elements of the last axes that the call reduces; empty if it reduces other axes.
std::optional<std::int64_t> reduced_length(const Call& call) {
  if (const auto* softmax = std::get_if<Softmax>(&call.problem.shape)) {
    if (softmax->axis + 1 != static_cast<std::int64_t>(softmax->input.size())) return std::nullopt;
    return softmax->input.back();
  }
  const auto& shape = std::get<Reduction>(call.problem.shape);
  const std::int64_t length = element_count(shape.input) / element_count(shape.output());
  const auto rows = row_extents(shape.input, length);
  if (!rows || *rows != shape.output()) return std::nullopt;
  return length;
}

template <class Function>
Table combined(const Table& a, const Table& b, Function function) {
  Table result{std::max(a.rows, b.rows), std::max(a.columns, b.columns), {}};
  for (std::size_t row = 0; row < result.rows; ++row) {
    for (std::size_t column = 0; column < result.columns; ++column) {
      result.values.push_back(function(a.at(row, column), b.at(row, column)));
    }
  }
  return result;
}

/// `a` where the condition is not 0, otherwise `b`.
Table chosen(const Table& condition, const Table& a, const Table& b) {
  Table result{std::max({condition.rows, a.rows, b.rows}),
               std::max({condition.columns, a.columns, b.columns}),
               {}};
  for (std::size_t row = 0; row < result.rows; ++row) {
    for (std::size_t column = 0; column < result.columns; ++column) {
      const Table& from = condition.at(row, column) != 0 ? a : b;
      result.values.push_back(from.at(row, column));
    }
  }
  return result;
}

double reduced(ReductionKind kind, const double* values, std::size_t count) {
  double sum = 0;
  double squares = 0;
  double magnitudes = 0;
  double product = 1;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i];
    squares += values[i] * values[i];
    magnitudes += std::abs(values[i]);
    product *= values[i];
  }
  switch (kind) {
    case ReductionKind::mean:
      return sum / static_cast<double>(count);
    case ReductionKind::sum:
      return sum;
    case ReductionKind::max:
      return *std::max_element(values, values + count);
    case ReductionKind::min:
      return *std::min_element(values, values + count);
    case ReductionKind::product:
      return product;
    case ReductionKind::l1:
      return magnitudes;
    case ReductionKind::l2:
      return std::sqrt(squares);
    case ReductionKind::sum_square:
      return squares;
  }
  return sum;
}

class Evaluator {
 public:
  Evaluator(const Flow& flow, const Cone& cone, const Table& x) : flow_(flow), cone_(cone), x_(x) {}

  std::optional<Evaluated> evaluate() {
    if (!find_length()) return std::nullopt;
    for (const std::size_t index : cone_.layers) {
      const auto result = layer(index);
      if (!result) return std::nullopt;
      results_[index] = *result;
    }
    evaluated_.result = results_[cone_.layers.back()];
    return std::move(evaluated_);
  }

 private:
  /// False if calls reduce different axes.
  bool find_length() {
    for (const std::size_t index : cone_.layers) {
      for (const Call& call : flow_.layer(index).calls) {
        const Shape& shape = call.problem.shape;
        if (!std::holds_alternative<Reduction>(shape) && !std::holds_alternative<Softmax>(shape)) {
          continue;
        }
        const auto length = reduced_length(call);
        // With one element, the reduced axes cannot be identified.
        if (!length || *length == 1) return false;
        if (evaluated_.length != 0 && evaluated_.length != *length) return false;
        evaluated_.length = *length;
      }
    }
    return evaluated_.length == 0 || row_extents(cone_.dims, evaluated_.length).has_value();
  }

  std::optional<Table> layer(std::size_t index) {
    const LoweredLayer& layer = flow_.layer(index);
    if (flow_.passes_on(index)) {
      // Other extents would hide which axes are the last ones.
      const bool is_sound = evaluated_.length == 0 || keeps_extents(layer);
      return is_sound ? outside(layer.reads[0]) : std::nullopt;
    }
    if (repeats(flow_, index)) return repeated(layer);
    if (layer.op == "IsNaN") return not_a_number(layer);
    calls_.clear();
    for (const Call& one : layer.calls) {
      const auto result = call(index, one);
      if (!result) return std::nullopt;
      calls_.push_back(*result);
    }
    return calls_.back();
  }

  /// Broadcasts one value per row to all elements of the row.
  std::optional<Table> repeated(const LoweredLayer& layer) const {
    const auto rows = outside(layer.reads[0]);
    if (evaluated_.length == 0 || !rows || rows->rows != x_.rows || rows->columns != 1) {
      return std::nullopt;
    }
    const auto extents = row_extents(cone_.dims, evaluated_.length);
    const auto& from = flow_.layer(*layer.reads[0].producer).outputs;
    if (from.size() != 1 || !from[0].shape || stripped(*from[0].shape) != stripped(*extents) ||
        stripped(*layer.outputs[0].shape) != stripped(cone_.dims)) {
      return std::nullopt;
    }
    return combined(*rows, x_, [](double row, double) { return row; });
  }

  /// Its call compares with a number that stands for NaN.
  std::optional<Table> not_a_number(const LoweredLayer& layer) const {
    const auto x = outside(layer.reads[0]);
    if (!x) return std::nullopt;
    return combined(*x, *x, [](double value, double) { return std::isnan(value) ? 1.0 : 0.0; });
  }

  bool keeps_extents(const LoweredLayer& layer) const {
    const Dims dims = stripped(*layer.outputs[0].shape);
    const Dims x = stripped(cone_.dims);
    return dims == x || dims == stripped(*row_extents(cone_.dims, evaluated_.length));
  }

  std::optional<Table> outside(const Read& read) const {
    if (read.tensor == cone_.x.tensor) return x_;
    if (!read.producer) return std::nullopt;
    const auto found = results_.find(*read.producer);
    if (found == results_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<Table> call(std::size_t index, const Call& one) {
    const Shape& shape = one.problem.shape;
    if (const auto* binary = std::get_if<Binary>(&shape)) {
      const Dims result = binary->output();
      const auto a = operand(index, one.operands[0], binary->a, result);
      if (!a) return std::nullopt;
      const auto b = operand(index, one.operands[1], binary->b, result);
      if (!b) return std::nullopt;
      return combined(
          *a, *b, [&](double left, double right) { return value_of(binary->kind, left, right); });
    }
    if (const auto* select = std::get_if<Select>(&shape)) return choice(index, one, *select);
    const Dims dims = inputs(one.problem)[0].dims;
    const auto x = operand(index, one.operands[0], dims, dims);
    if (!x) return std::nullopt;
    if (const auto* function = std::get_if<Activation>(&shape)) {
      return combined(*x, *x, [&](double value, double) { return value_of(*function, value); });
    }
    if (x->columns != x_.columns || x->rows != x_.rows) return std::nullopt;
    if (const auto* softmax = std::get_if<Softmax>(&shape)) return normalized(*softmax, *x);
    Table result{x->rows, 1, {}};
    for (std::size_t row = 0; row < x->rows; ++row) {
      result.values.push_back(reduced(std::get<Reduction>(shape).kind,
                                      x->values.data() + row * x->columns, x->columns));
    }
    return result;
  }

  std::optional<Table> choice(std::size_t index, const Call& one, const Select& select) {
    const Dims result = select.output();
    std::size_t next = 0;
    const auto condition = operand(index, one.operands[next++], select.condition, result);
    const auto alternative = [&](const Select::Alternative& from) -> std::optional<Table> {
      if (from.value) return Table{1, 1, {static_cast<double>(*from.value)}};
      return operand(index, one.operands[next++], from.dims, result);
    };
    const auto a = alternative(select.a);
    const auto b = alternative(select.b);
    if (!condition || !a || !b) return std::nullopt;
    return chosen(*condition, *a, *b);
  }

  static Table normalized(const Softmax& softmax, Table x) {
    for (std::size_t row = 0; row < x.rows; ++row) {
      double* values = x.values.data() + row * x.columns;
      double sum = 0;
      for (std::size_t column = 0; column < x.columns; ++column) sum += std::exp(values[column]);
      for (std::size_t column = 0; column < x.columns; ++column) {
        values[column] =
            softmax.logarithm ? values[column] - std::log(sum) : std::exp(values[column]) / sum;
      }
    }
    return x;
  }

  /// An operand of a call that sees it with extents `dims` and its result with extents `result`.
  std::optional<Table> operand(std::size_t index, const Source& source, const Dims& dims,
                               const Dims& result) {
    if (source.kind == Source::Kind::attribute || source.scale != 1 || !source.is_whole())
      return std::nullopt;
    if (source.kind == Source::Kind::call) {
      return placed(calls_[static_cast<std::size_t>(source.index)], dims, result);
    }
    const Read& read = *flow_.read(index, source);
    if (read.constant) return constant(read, dims, result);
    const auto table = outside(read);
    if (!table) return std::nullopt;
    return placed(*table, dims, result);
  }

  /// The table if extents `dims` place it correctly in the result.
  std::optional<Table> placed(const Table& table, const Dims& dims, const Dims& result) const {
    const std::int64_t elements = element_count(cone_.dims);
    const bool is_full = table.columns == x_.columns && table.rows == x_.rows;
    if (is_full) {
      if (dims != result || element_count(dims) != elements) return std::nullopt;
      return table;
    }
    // One value per row exists only after a reduction.
    if (element_count(dims) * evaluated_.length != elements) return std::nullopt;
    if (dims != result && row_extents(result, evaluated_.length) != dims) return std::nullopt;
    return table;
  }

  std::optional<Table> constant(const Read& read, const Dims& dims, const Dims& result) {
    const std::int64_t elements = element_count(dims);
    if (elements == 1) {
      if (!read.value) return std::nullopt;
      evaluated_.numbers.push_back(*read.value);
      return Table{1, 1, {*read.value}};
    }
    if (evaluated_.length == 0 || elements != evaluated_.length) return std::nullopt;
    // One value per column: all preceding axes must be 1.
    const auto rows = row_extents(result, evaluated_.length);
    if (!rows) return std::nullopt;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if ((*rows)[axis] == 1 ? dims[axis] != result[axis] : dims[axis] != 1) return std::nullopt;
    }
    Table values{1, x_.columns, {}};
    const double start = 1.3 + static_cast<double>(evaluated_.vectors.size());
    for (std::size_t column = 0; column < x_.columns; ++column) {
      values.values.push_back(start + std::cos(start * static_cast<double>(column + 1)));
    }
    evaluated_.vectors.push_back(read);
    evaluated_.vector_values.push_back(values);
    return values;
  }

  const Flow& flow_;
  const Cone& cone_;
  const Table& x_;
  Evaluated evaluated_;
  std::map<std::size_t, Table> results_;
  std::vector<Table> calls_;
};

}  // namespace

std::optional<Evaluated> evaluate(const Flow& flow, const Cone& cone, const Table& x) {
  return Evaluator(flow, cone, x).evaluate();
}

}  // namespace benanza::fusion
