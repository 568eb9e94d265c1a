#include "generator/onnx/operators/shared/zero_point.h"

#include <utility>
#include <variant>

#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

/// The sums of the first operand that the second one's zero point is multiplied with. Its result
/// broadcasts to the product's.
Problem sums_of_first(const Problem& product) {
  Problem sums{product.shape, {}};
  if (auto* const convolution = std::get_if<Convolution>(&sums.shape)) {
    convolution->filters = convolution->groups;
    return sums;
  }
  if (auto* const deconvolution = std::get_if<Deconvolution>(&sums.shape)) {
    deconvolution->filters = deconvolution->groups;
    return sums;
  }
  auto& gemm = std::get<Gemm>(sums.shape);
  gemm.n = 1;
  gemm.batch_b = Dims(gemm.batch_a.size(), 1);
  gemm.constant_b = true;
  return sums;
}

/// Of filters that are neither all of one group nor a group each.
std::int64_t groups_of_filters(const Shape& product) {
  const auto among = [](const auto& convolution) {
    return convolution.groups == convolution.filters ? 1 : convolution.groups;
  };
  if (const auto* const convolution = std::get_if<Convolution>(&product)) {
    return among(*convolution);
  }
  const auto* const deconvolution = std::get_if<Deconvolution>(&product);
  return deconvolution == nullptr ? 1 : among(*deconvolution);
}

/// `dims`, the extents of images with all channels of `product` or one of each of its groups, with
/// an axis for the groups: what is one for a group goes with all of its channels.
Dims in_groups(Dims dims, const Problem& product) {
  const std::int64_t groups = groups_of_filters(product.shape);
  if (groups == 1) return dims;
  dims[1] /= groups;
  dims.insert(dims.begin() + 1, groups);
  return dims;
}

/// The same of the second operand of a product of matrices.
Problem sums_of_second(const Problem& product) {
  Problem sums = with_unsigned_data({product.shape, {}}, false);
  auto& gemm = std::get<Gemm>(sums.shape);
  gemm.m = 1;
  gemm.batch_a = Dims(gemm.batch_b.size(), 1);
  return sums;
}

}  // namespace

bool takes_sums_of_data(const Problem& product, const ZeroPoints& points) {
  const Shape& shape = product.shape;
  const bool is_alone = product.epilogue.steps.empty() && !product.epilogue.activation;
  const bool has_filters =
      std::holds_alternative<Convolution>(shape) || std::holds_alternative<Deconvolution>(shape);
  return is_alone && (std::holds_alternative<Gemm>(shape) || (has_filters && !points.first));
}

std::vector<Call> with_sums_of_data(Call product, const ZeroPoints& points) {
  if (!takes_sums_of_data(product.problem, points)) {
    throw NotExpressible("a zero point without sums that stand for it");
  }
  const Dims whole = in_groups(output({product.problem.shape, {}}), product.problem);
  const std::vector<Source> operands = product.operands;
  const Problem shape = product.problem;
  std::vector<Call> calls{std::move(product)};
  const auto subtract = [&](Problem sums, std::vector<Source> of) {
    const auto before = static_cast<int>(calls.size()) - 1;
    Dims dims = in_groups(output(sums), shape);
    calls.push_back({.problem = std::move(sums), .operands = std::move(of)});
    calls.push_back(elementwise_call(BinaryKind::sub, {whole, false, from_call(before)},
                                     {std::move(dims), false, from_call(before + 1)}));
  };
  if (points.second) subtract(sums_of_first(shape), {operands[0], *points.second});
  if (points.first) subtract(sums_of_second(shape), {*points.first, operands[1]});
  return calls;
}

}  // namespace benanza::onnx
