#include <cmath>
#include <numeric>

#include "generator/fusion/whole/whole.h"

namespace benanza::fusion {
namespace {

/// Rows of ordinary and of large magnitude, and rows so small that an epsilon matters.
const Table& rows() {
  static const Table table{4, 6, {-2.1,   0.4,     1.7,     -0.6,    2.9,     0.2,     //
                                  -40,    35,      12,      -18,     27,      5,       //
                                  0.3e-2, 0.1e-2,  -0.4e-2, 0.2e-2,  -0.1e-2, 0.6e-2,  //
                                  0.2e-4, -0.3e-4, 0.5e-4,  -0.1e-4, 0.7e-4,  0.4e-4}};
  return table;
}

/// Applies f(x, the row's mean, the row's mean square) to every element.
template <class Function>
Table by_rows(Function function) {
  Table table = rows();
  const auto columns = static_cast<double>(table.columns);
  for (std::size_t row = 0; row < table.rows; ++row) {
    double* values = table.values.data() + row * table.columns;
    const double mean = std::accumulate(values, values + table.columns, 0.0) / columns;
    const double square = std::inner_product(values, values + table.columns, values, 0.0) / columns;
    for (std::size_t column = 0; column < table.columns; ++column) {
      values[column] = function(values[column], mean, square);
    }
  }
  return table;
}

Table normalized(bool root_mean_square, double epsilon) {
  return by_rows([=](double x, double mean, double square) {
    if (root_mean_square) return x / std::sqrt(square + epsilon);
    return (x - mean) / std::sqrt(square - mean * mean + epsilon);
  });
}

Table scaled(Table table, const Table* scale, const Table* bias) {
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const std::size_t column = i % table.columns;
    if (scale != nullptr) table.values[i] *= scale->at(0, column);
    if (bias != nullptr) table.values[i] += bias->at(0, column);
  }
  return table;
}

/// The index of the scale and of the bias among the vectors; -1 if absent.
struct Affine {
  int scale = -1;
  int bias = -1;
};

std::vector<Affine> assignments(std::size_t vectors) {
  if (vectors == 0) return {{}};
  if (vectors == 1) return {{.scale = 0}, {.bias = 0}};
  if (vectors == 2) return {{.scale = 0, .bias = 1}, {.scale = 1, .bias = 0}};
  return {};
}

/// The small constants among the layers, and 0.
std::vector<double> epsilons(const Evaluated& evaluated) {
  std::vector<double> all;
  for (const double number : evaluated.numbers) {
    if (number > 0 && number < 0.1) all.push_back(number);
  }
  all.push_back(0);
  return all;
}

std::optional<WholeOperator> layer_normalization(const Cone& cone, const Evaluated& evaluated) {
  const auto vector = [&](int index) {
    return index < 0 ? nullptr : &evaluated.vector_values[static_cast<std::size_t>(index)];
  };
  for (const bool root_mean_square : {false, true}) {
    for (const double epsilon : epsilons(evaluated)) {
      for (const Affine& affine : assignments(evaluated.vectors.size())) {
        const Table expected = scaled(normalized(root_mean_square, epsilon), vector(affine.scale),
                                      vector(affine.bias));
        if (!agree(evaluated.result, expected)) continue;
        const LayerNormalization shape{.rows = element_count(cone.dims) / evaluated.length,
                                       .length = evaluated.length,
                                       .epsilon = static_cast<float>(epsilon),
                                       .scale = affine.scale >= 0,
                                       .bias = affine.bias >= 0,
                                       .root_mean_square = root_mean_square};
        WholeOperator found{std::string(shape.op()), cone.layers, {shape, {}}, {cone.x}};
        for (const int index : {affine.scale, affine.bias}) {
          if (index < 0) continue;
          found.operands.push_back(evaluated.vectors[static_cast<std::size_t>(index)]);
        }
        return found;
      }
    }
  }
  return std::nullopt;
}

/// x / |x|: a normalization by the root mean square divides by |x| / sqrt(length).
std::optional<WholeOperator> unit_length(const Cone& cone, const Evaluated& evaluated) {
  if (!evaluated.vectors.empty()) return std::nullopt;
  const double columns = static_cast<double>(rows().columns);
  const Table expected =
      by_rows([=](double x, double, double square) { return x / std::sqrt(square * columns); });
  if (!agree(evaluated.result, expected)) return std::nullopt;
  const LayerNormalization shape{.rows = element_count(cone.dims) / evaluated.length,
                                 .length = evaluated.length,
                                 .epsilon = 0,
                                 .root_mean_square = true};
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(evaluated.length)));
  const Activation linear{.input = {}, .kind = ActivationKind::linear, .alpha = factor};
  return WholeOperator{"l2norm", cone.layers, with_step({shape, {}}, linear), {cone.x}};
}

std::optional<WholeOperator> softmax(const Cone& cone, const Evaluated& evaluated) {
  if (!evaluated.vectors.empty() || cone.dims.back() != evaluated.length) return std::nullopt;
  for (const bool logarithm : {false, true}) {
    Table expected = rows();
    for (std::size_t row = 0; row < expected.rows; ++row) {
      double* values = expected.values.data() + row * expected.columns;
      double sum = 0;
      for (std::size_t i = 0; i < expected.columns; ++i) sum += std::exp(values[i]);
      for (std::size_t i = 0; i < expected.columns; ++i) {
        values[i] = logarithm ? values[i] - std::log(sum) : std::exp(values[i]) / sum;
      }
    }
    if (!agree(evaluated.result, expected)) continue;
    const Softmax shape{.input = cone.dims,
                        .axis = static_cast<std::int64_t>(cone.dims.size()) - 1,
                        .logarithm = logarithm};
    return WholeOperator{std::string(shape.op()), cone.layers, {shape, {}}, {cone.x}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<WholeOperator> whole_normalization(const Flow& flow, const Cone& cone) {
  const auto evaluated = evaluate(flow, cone, rows());
  if (!evaluated || evaluated->length == 0) return std::nullopt;
  for (const auto find : {layer_normalization, unit_length, softmax}) {
    if (auto found = find(cone, *evaluated)) return found;
  }
  return std::nullopt;
}

}  // namespace benanza::fusion
