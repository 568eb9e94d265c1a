#include "generator/training/products.h"

#include <algorithm>

namespace benanza::training {
namespace {

constexpr GradientSource first{GradientSource::Kind::operand, 0};
constexpr GradientSource second{GradientSource::Kind::operand, 1};

/// True if one matrix is broadcast over several batches.
bool is_shared(const Dims& own, const Dims& all) {
  return element_count(own) == 1 && element_count(all) > 1;
}

/// The gradient of the first factor.
Gemm data_product(const Gemm& shape) {
  const Dims batch = shape.batch();
  if (shape.transpose_a) {
    return {.m = shape.k,
            .n = shape.m,
            .k = shape.n,
            .transpose_a = shape.transpose_b,
            .transpose_b = true,
            .batch_a = shape.batch_b,
            .batch_b = batch};
  }
  return {.m = shape.m,
          .n = shape.k,
          .k = shape.n,
          .transpose_a = false,
          .transpose_b = !shape.transpose_b,
          .batch_a = batch,
          .batch_b = shape.batch_b};
}

/// True if the rows of all batches form one long sum of the second factor's gradient.
bool merges_batches(const Gemm& shape) {
  const Dims batch = shape.batch();
  return !shape.transpose_a && is_shared(shape.batch_b, batch) &&
         element_count(shape.batch_a) == element_count(batch);
}

/// The gradient of the second factor.
Gemm weight_product(const Gemm& shape, bool merges) {
  const Dims batch = shape.batch();
  const std::int64_t rows = shape.m * (merges ? element_count(batch) : 1);
  const Dims batch_a = merges ? Dims{} : shape.batch_a;
  const Dims batch_c = merges ? Dims{} : batch;
  if (shape.transpose_b) {
    return {.m = shape.n,
            .n = shape.k,
            .k = rows,
            .transpose_a = true,
            .transpose_b = shape.transpose_a,
            .batch_a = batch_c,
            .batch_b = batch_a};
  }
  return {.m = shape.k,
          .n = shape.n,
          .k = rows,
          .transpose_a = !shape.transpose_a,
          .transpose_b = false,
          .batch_a = batch_a,
          .batch_b = batch_c};
}

/// Adds the product that is the gradient of operand `of`, whose batch is `own_batch`; a matrix that
/// several batches read gets the sum over them.
void add_product(Gradient& gradient, const std::string& name, const Gemm& product,
                 std::vector<GradientSource> operands, int of, const Dims& own_batch) {
  const Dims batch = product.batch();
  const bool is_summed =
      element_count(batch) != std::max<std::int64_t>(1, element_count(own_batch));
  gradient.calls.push_back({name, {product, {}}, std::move(operands), {is_summed ? -1 : of}});
  if (!is_summed) return;
  Dims axes;
  for (std::size_t axis = 0; axis < batch.size(); ++axis) {
    const bool one = axis >= own_batch.size() || own_batch[axis] == 1;
    if (one && batch[axis] != 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const int terms = static_cast<int>(gradient.calls.size()) - 1;
  gradient.calls.push_back({name + "_sum",
                            {Reduction{ReductionKind::sum, output({product, {}}), axes}, {}},
                            {{GradientSource::Kind::call, terms}},
                            {of}});
}

/// `filters` reads `operands`; `data` the gradient of the output, and the weights.
Gradient of_window(const Shape& data, const ConvolutionFilterGradient& filters,
                   const std::vector<GradientSource>& operands, const std::vector<bool>& wanted) {
  Gradient gradient;
  if (wanted[0]) {
    gradient.calls.push_back({.name = "data_gradient",
                              .problem = {data, {}},
                              .operands = {output_gradient, second},
                              .of = {0}});
  }
  if (wanted[1]) {
    gradient.calls.push_back(
        {.name = "weight_gradient", .problem = {filters, {}}, .operands = operands, .of = {1}});
  }
  return gradient;
}

}  // namespace

Gradient of_convolution(const Convolution& shape, const std::vector<bool>& wanted) {
  return of_window(data_gradient(shape), {shape}, {first, output_gradient}, wanted);
}

Gradient of_deconvolution(const Deconvolution& shape, const std::vector<bool>& wanted) {
  const Convolution forward{.input = shape.output(),
                            .filters = shape.input[1],
                            .window = shape.window,
                            .groups = shape.groups};
  if (forward.output() != shape.input ||
      std::ranges::any_of(shape.window.pads, [](std::int64_t pad) { return pad < 0; })) {
    return {.unsupported = "the gradient of a 'deconv' with output padding is not measured here"};
  }
  return of_window(forward, {forward}, {output_gradient, first}, wanted);
}

Gradient of_gemm(const Gemm& shape, const std::vector<bool>& wanted) {
  Gradient gradient;
  if (wanted[0]) {
    add_product(gradient, "data_gradient", data_product(shape),
                shape.transpose_a ? std::vector{second, output_gradient}
                                  : std::vector{output_gradient, second},
                0, shape.batch_a);
  }
  if (wanted[1]) {
    const char* const name = shape.constant_b ? "weight_gradient" : "gradient_b";
    const bool merges = merges_batches(shape);
    add_product(gradient, name, weight_product(shape, merges),
                shape.transpose_b ? std::vector{output_gradient, first}
                                  : std::vector{first, output_gradient},
                1, merges ? Dims{} : shape.batch_b);
  }
  return gradient;
}

}  // namespace benanza::training
