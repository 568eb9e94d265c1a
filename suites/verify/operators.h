#pragma once

#include <optional>
#include <span>

#include "suites/verify/elements.h"
#include "suites/verify/recurrent.h"
#include "suites/verify/reference.h"
#include "suites/verify/team.h"

/// The references, one file per operator. A new operator needs a definition of element() (or
/// elements(), declared, if one element costs as much as many) and overloads of the properties
/// whose defaults below do not fit.
namespace benanza::verify {

/// Returns the first wrong element of the whole result, in row-major order; empty if there is none.
std::optional<std::int64_t> first_wrong(const Collective& shape, Precision precision,
                                        Operands operands, std::span<const float> result);

/// Returns the elements at `all`, coordinates in the operator's output().
template <class Shape>
std::vector<Element> elements(const Shape& shape, Operands operands, const std::vector<Dims>& all) {
  std::vector<Element> results(all.size());
  for_each_index(all.size(), [&](std::size_t i) { results[i] = element(shape, operands, all[i]); });
  return results;
}

/// Returns the place to verify instead of `at`.
template <class Shape>
Dims sampled_at(const Shape&, Dims at) {
  return at;
}
Dims sampled_at(const ConvolutionFilterGradient& shape, Dims at);
Dims sampled_at(const BatchNormalizationTraining& shape, Dims at);
Dims sampled_at(const BatchNormalizationGradient& shape, Dims at);
Dims sampled_at(const LayerNormalizationGradient& shape, Dims at);

/// The probability that an element is 0 instead of the value of element().
template <class Shape>
double dropped_share(const Shape&) {
  return 0;
}
inline double dropped_share(const Dropout& shape) { return shape.ratio; }

/// Applies `shape`'s function to `x`.
Element activated(const Activation& shape, double x);
/// The same for an x that was summed: the rounding errors of its terms pass through the function.
Element activated(const Activation& shape, const Element& x);

/// The index of the bias value that an epilogue adds to the element at `at`.
inline std::int64_t bias_index(const Convolution&, const Dims& at) { return at[1]; }
inline std::int64_t bias_index(const Deconvolution&, const Dims& at) { return at[1]; }
inline std::int64_t bias_index(const Gemm&, const Dims& at) { return at.back(); }

/// The largest magnitude that the inputs must reach so that the operator's parameters affect the
/// result.
template <class Shape>
double input_range(const Shape&) {
  return 1;
}
double input_range(const Activation& shape);
double input_range(const Lrn& shape);
inline double input_range(const Softmax&) { return 4; }
inline double input_range(const Attention&) { return 2; }
/// A quantized tensor holds integers.
inline double input_range(const Quantization& shape) { return shape.writes_bytes() ? 1 : 8; }
/// Products of many factors must neither vanish nor overflow.
double input_range(const Reduction& shape);

/// The same for operators whose operands need different ranges.
template <class Shape>
double input_range(const Shape& shape, std::size_t) {
  return input_range(shape);
}
double input_range(const Attention& shape, std::size_t operand);
double input_range(const Recurrent& shape, std::size_t operand);
double input_range(const RecurrentGradient& shape, std::size_t operand);
inline double input_range(const LrnGradient& shape, std::size_t operand) {
  return operand == 0 ? 1 : input_range(shape.forward);
}
inline double input_range(const ActivationGradient& shape, std::size_t operand) {
  return operand == 0 ? 1 : input_range(shape.forward);
}

/// Marks operators that do not adjust their operands.
struct Unchanged {};

/// Changes the operands' values if the operator's result depends on more than their range.
template <class Shape>
Unchanged adjust_inputs(const Shape&, std::vector<std::vector<float>>&) {
  return {};
}
void adjust_inputs(const AttentionGradient& shape, std::vector<std::vector<float>>& values);
void adjust_inputs(const PoolingGradient& shape, std::vector<std::vector<float>>& values);
void adjust_inputs(const RecurrentGradient& shape, std::vector<std::vector<float>>& values);
void adjust_inputs(const Cast& shape, std::vector<std::vector<float>>& values);
void adjust_inputs(const SparseProduct& shape, std::vector<std::vector<float>>& values);

/// Where the result is written: element (i0, i1, ...) of `dims` at sum(i * strides).
struct WrittenView {
  Dims dims;
  Dims strides;
};
template <class Shape>
WrittenView written_view(const Shape& shape) {
  return {shape.output(), dense_strides(shape.output())};
}
inline WrittenView written_view(const Copy& shape) { return {shape.dims, shape.to}; }

}  // namespace benanza::verify
