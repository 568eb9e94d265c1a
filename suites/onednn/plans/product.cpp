#include "suites/onednn/plans/product.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/results_file/row.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/channels_last.h"
#include "suites/onednn/plans/post_ops.h"

namespace benanza::onednn {
namespace {

/// Strides of a row-major batch of matrices, its last two axes swapped if it is stored transposed.
Dims matrix_strides(const Dims& dims, bool transposed) {
  Dims stored = dims;
  const std::size_t rank = dims.size();
  if (transposed) std::swap(stored[rank - 1], stored[rank - 2]);
  Dims strides = dense_strides(stored);
  if (transposed) std::swap(strides[rank - 1], strides[rank - 2]);
  return strides;
}

Dims with_batch(const Dims& batch, std::int64_t rows, std::int64_t columns) {
  Dims dims = batch;
  dims.insert(dims.end(), {rows, columns});
  return dims;
}

/// The same products with fewer batch axes: rows of batches that share one B become rows of one
/// matrix, and equal batches become one axis.
Gemm folded(Gemm shape) {
  const std::int64_t batch_b = element_count(shape.batch_b);
  if (batch_b == 1 && !shape.transpose_a) {
    shape.m *= element_count(shape.batch_a);
    shape.batch_a.clear();
    shape.batch_b.clear();
  } else if (shape.batch_a == shape.batch_b && shape.batch_a.size() > 1) {
    shape.batch_a = shape.batch_b = {batch_b};
  }
  return shape;
}

/// The folded shape if the steps' tensors broadcast to its result; otherwise `shape`.
Gemm folded_with_steps(const Gemm& shape, const Problem& problem) {
  const Gemm product = folded(shape);
  for (const Operand& operand : problem.epilogue.step_operands()) {
    if (!refitted(operand.dims, shape.output(), product.output())) return shape;
  }
  return product;
}

Plan plan_matmul(const Gemm& shape, const Problem& problem, const VariantContext& context,
                 ResidualFrom from) {
  const Dims a = with_batch(shape.batch_a, shape.m, shape.k);
  const Dims b = with_batch(shape.batch_b, shape.k, shape.n);
  const Dims c = with_batch(shape.batch(), shape.m, shape.n);
  const Dims a_strides = matrix_strides(a, shape.transpose_a);
  const Dims b_strides = matrix_strides(b, shape.transpose_b);
  Dims bias_dims(c.size(), 1);
  bias_dims.back() = shape.n;
  const Memory::desc bias = problem.epilogue.bias ? floats(bias_dims) : Memory::desc();

  const PostOps last = post_ops(problem, context, from, context.plain(c), floats(c));
  Plan plan{
      .implementation = api::implementation_of<dnnl::matmul>(
          context.engine(), last.attributes, context.of_data().strided(a, a_strides),
          shape.constant_b ? context.of_weights().chosen_by_library(b)
                           : context.of_weights().strided(b, b_strides),
          bias, context.plain(c)),
      .operands = {{DNNL_ARG_SRC, floats(a, a_strides)}, {DNNL_ARG_WEIGHTS, floats(b, b_strides)}},
      .result = {DNNL_ARG_DST, floats(c)}};
  add_epilogue(plan, problem, bias, last);
  return plan;
}

/// Weights of an inner product are n x k.
Plan plan_inner_product(const Gemm& shape, const Problem& problem, const VariantContext& context,
                        ResidualFrom from) {
  const Dims weights{shape.n, shape.k};
  const Memory::desc bias = problem.epilogue.bias ? floats({shape.n}) : Memory::desc();
  const Dims result{shape.m, shape.n};
  const PostOps last = post_ops(problem, context, from, context.plain(result), floats(result));
  Plan plan{.implementation = api::implementation_of<dnnl::inner_product_forward>(
                context.engine(), last.attributes, dnnl::prop_kind::forward_inference,
                context.of_data().plain({shape.m, shape.k}),
                context.of_weights().chosen_by_library(weights), bias, context.plain(result)),
            .operands = {{DNNL_ARG_SRC, floats({shape.m, shape.k})},
                         {DNNL_ARG_WEIGHTS,
                          floats(weights, matrix_strides(weights, !shape.transpose_b))}},
            .result = {DNNL_ARG_DST, floats(result)}};
  add_epilogue(plan, problem, bias, last);
  return plan;
}

/// A row-major matrix as an image of one line: rows are its pixels, columns its channels.
Dims as_pixels(const Dims& matrix) { return {1, matrix[1], 1, matrix[0]}; }

/// Describes the floats of a row-major matrix as those of such an image.
Memory::desc pixel_floats(const Dims& image) {
  return floats(image, {image[1] * image[3], 1, image[1] * image[3], image[1]});
}

/// `shape` has no batch. Throws Unsupported if a step's extents do not fit a matrix.
Plan plan_convolution(const Gemm& shape, const Problem& problem, const VariantContext& context,
                      ResidualFrom from) {
  const Dims image = as_pixels({shape.m, shape.k});
  const Dims result = as_pixels({shape.m, shape.n});
  Convolution convolution;
  convolution.input = image;
  convolution.filters = shape.n;
  convolution.unsigned_data = shape.unsigned_data;
  convolution.window = {
      .kernel = {1, 1}, .pads = {0, 0, 0, 0}, .strides = {1, 1}, .dilations = {1, 1}};
  Problem pixels{convolution, problem.epilogue};
  for (Step& step : pixels.epilogue.steps) {
    auto* const combine = std::get_if<Combine>(&step);
    if (combine == nullptr) continue;
    const auto matrix = refitted(combine->y, output(problem), {shape.m, shape.n});
    if (!matrix) throw harness::Unsupported("a tensor that is added to rows in other extents");
    combine->y = as_pixels(*matrix);
  }
  const VariantContext channels_last = context.in(Layout::nhwc);
  const Dims weights{shape.n, shape.k, 1, 1};
  const Dims strides = matrix_strides({shape.n, shape.k}, !shape.transpose_b);
  const Memory::desc bias = problem.epilogue.bias ? floats({shape.n}) : Memory::desc();
  PostOps last =
      post_ops(pixels, channels_last, from, channels_last.tensor(result), pixel_floats(result));
  for (Argument& operand : last.operands) operand.values = pixel_floats(api::dims(operand.values));
  Plan plan{.implementation = api::implementation_of<dnnl::convolution_forward>(
                context.engine(), last.attributes, dnnl::prop_kind::forward_inference,
                dnnl::algorithm::convolution_direct, channels_last.of_data().tensor(image),
                channels_last.of_weights().chosen_by_library(weights), bias,
                channels_last.tensor(result), Dims{1, 1}, Dims{0, 0}, Dims{0, 0}, Dims{0, 0}),
            .operands = {{DNNL_ARG_SRC, pixel_floats(image)},
                         {DNNL_ARG_WEIGHTS, floats(weights, {strides[0], strides[1], 1, 1})}},
            .result = {DNNL_ARG_DST, pixel_floats(result)}};
  add_epilogue(plan, problem, bias, last);
  return plan;
}

/// Others of the library's convolutions are products themselves, or much slower.
bool is_for_1x1_filters(std::string_view implementation) {
  return implementation.find("1x1") != std::string_view::npos;
}

bool all(const Dims& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
}

bool is_of_pixels(const Convolution& shape) {
  return all(shape.window.kernel, 1) && all(shape.window.strides, 1);
}

/// One pixel of the result: an image is a row of the product.
bool is_of_images(const Convolution& shape) {
  return shape.window.kernel == spatial(shape.input) && all(shape.window.dilations, 1);
}

/// The windows lie side by side and cover the image.
bool is_of_patches(const Convolution& shape) {
  const Dims image = spatial(shape.input);
  bool divides = shape.window.kernel == shape.window.strides && all(shape.window.dilations, 1);
  for (std::size_t axis = 0; axis < image.size(); ++axis) {
    divides = divides && image[axis] % shape.window.kernel[axis] == 0;
  }
  return divides;
}

/// The windows of an image whose channels are innermost, a row for each: n, result's pixels, c,
/// window's pixels.
struct Patches {
  Dims dims;
  Dims strides;

  explicit Patches(const Convolution& shape) {
    const Dims& input = shape.input;
    const Dims& kernel = shape.window.kernel;
    const std::int64_t channels = input[1];
    const Dims dense = dense_strides(input);
    const auto add = [&](std::int64_t extent, std::int64_t stride) {
      dims.push_back(extent);
      strides.push_back(stride);
    };
    add(input[0], dense[0]);
    for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
      add(input[axis + 2] / kernel[axis], kernel[axis] * dense[axis + 2] * channels);
    }
    add(channels, 1);
    for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
      add(kernel[axis], dense[axis + 2] * channels);
    }
  }
};

/// The epilogue of a result of extents `channels_last` for a matrix of extents `matrix` with the
/// same elements in the same order. Empty if a step's extents cannot be converted.
std::optional<Epilogue> of_matrix(Epilogue epilogue, const Dims& channels_last,
                                  const Dims& matrix) {
  for (Step& step : epilogue.steps) {
    auto* const combine = std::get_if<Combine>(&step);
    if (combine == nullptr) continue;
    const auto dims = refitted(last_channels(combine->y), channels_last, matrix);
    if (!dims) return std::nullopt;
    combine->y = *dims;
  }
  return epilogue;
}

}  // namespace

Plan plan_matmul(const Gemm& shape, const Problem& problem, const VariantContext& context) {
  return plan_matmul(shape, problem, context, ResidualFrom::beside);
}

namespace {

bool is_rows_times_weight(const Gemm& product) {
  return product.constant_b && product.batch_a.empty() && !product.transpose_a;
}

std::vector<Attempt> matrix_ways(const Gemm& product, const Problem& problem,
                                 const VariantContext& context) {
  auto attempts = with_epilogue(
      problem, "", [=](ResidualFrom from) { return plan_matmul(product, problem, context, from); });
  if (is_rows_times_weight(product)) {
    const auto more = with_epilogue(problem, "inner_product.", [=](ResidualFrom from) {
      return plan_inner_product(product, problem, context, from);
    });
    attempts.insert(attempts.end(), more.begin(), more.end());
  }
  return attempts;
}

}  // namespace

namespace {

/// Found by a crash of version 3.7.2 (oneDNN's pull request 4632): where all of the first tensor's
/// batch multiplies one matrix and its last batch axis has one element, it is read beyond its end.
std::string reads_beyond(const Plan& plan, const Gemm& shape) {
  const dnnl_version_t& version = *dnnl_version();
  const auto number = std::tuple(version.major, version.minor, version.patch);
  if (number < std::tuple(3, 7, 0) || number >= std::tuple(3, 11, 3)) return "";
  if (shape.batch_a.size() != 2 || shape.batch_a[1] != 1 || shape.transpose_a) return "";
  const std::string name = plan.implementation.name();
  if (element_count(shape.batch_b) != 1 || !name.starts_with("brg")) return "";
  return "oneDNN 3.7's " + name + " reads beyond a tensor with a batch axis of one element";
}

}  // namespace

std::vector<Attempt> product_attempts(const Gemm& shape, const Problem& problem,
                                      const VariantContext& context) {
  const Gemm product = folded_with_steps(shape, problem);
  auto attempts = matrix_ways(product, problem, context);
  if (!shape.constant_b && product.batch().size() != shape.batch().size()) {
    auto more = with_epilogue(problem, "axes.", [=](ResidualFrom from) {
      Plan plan = plan_matmul(shape, problem, context, from);
      plan.facts[as_in_model_fact] = true;
      return plan;
    });
    for (Attempt& way : more) {
      way.defect = [=](const Plan& plan) { return reads_beyond(plan, shape); };
    }
    attempts.insert(attempts.end(), more.begin(), more.end());
  }
  if (is_rows_times_weight(product)) {
    auto pixels = with_epilogue(problem, "convolution.", [=](ResidualFrom from) {
      return plan_convolution(product, problem, context, from);
    });
    for (Attempt& way : pixels) way.wanted = is_for_1x1_filters;
    attempts.insert(attempts.end(), pixels.begin(), pixels.end());
  }
  return attempts;
}

namespace {

/// Makes the plan of a product, whose result has the channels innermost, that of the convolution.
Plan of_convolution(Plan plan, const Convolution& shape, const Problem& problem,
                    const VariantContext& context) {
  const auto see_as_images = [&](Argument& argument, const Dims& dims) {
    argument.values = floats(dims);
    argument.seen_as = context.tensor(dims);
  };
  const std::vector<Operand> operands = inputs(problem);
  const Dims output = shape.output();
  see_as_images(plan.operands[0], shape.input);
  for (std::size_t index = 2; index < operands.size(); ++index) {
    // A bias has one axis.
    if (operands[index].dims.size() != output.size()) continue;
    see_as_images(plan.operands[index], operands[index].dims);
  }
  see_as_images(plan.result, output);
  if (is_of_pixels(shape)) return plan;
  if (!is_of_images(shape)) {
    const Patches patches(shape);
    const Memory::desc rows = context.strided(patches.dims, dense_strides(patches.dims));
    const auto gather = moved_from(context, context.strided(patches.dims, patches.strides));
    plan.before = {{0, [rows, gather](const Memory::desc&) { return gather(rows); }}};
  } else if (context.layout() == Layout::nhwc) {
    Dims weights = spatial(shape.input);
    weights.insert(weights.begin(), {shape.filters, shape.input[1]});
    plan.operands[1].rearrange = channels_to_the_end(weights);
  }
  return plan;
}

}  // namespace

std::vector<Attempt> attempts_as_product(const Convolution& shape, const Problem& problem,
                                         const VariantContext& context) {
  const bool is_product = is_of_images(shape) || is_of_pixels(shape) || is_of_patches(shape);
  if (!is_product || shape.groups != 1 || !all(shape.window.pads, 0) || context.integers()) {
    return {};
  }
  if (context.layout() != Layout::nhwc &&
      !(is_of_images(shape) && context.layout() == Layout::nchw)) {
    return {};
  }
  const Dims output = shape.output();
  const Gemm product{.m = element_count(output) / shape.filters,
                     .n = shape.filters,
                     .k = shape.reduction_length(),
                     .transpose_b = true,
                     .batch_a = {},
                     .batch_b = {},
                     .constant_b = true,
                     .unsigned_data = shape.unsigned_data};
  const auto epilogue = of_matrix(problem.epilogue, last_channels(output), product.output());
  if (!epilogue) return {};
  std::vector<Attempt> ways = matrix_ways(product, {product, *epilogue}, context.in(Layout::plain));
  for (Attempt& way : ways) {
    way.prefix = "product." + way.prefix;
    way.plan = [=, plan = way.plan] { return of_convolution(plan(), shape, problem, context); };
  }
  return ways;
}

}  // namespace benanza::onednn
