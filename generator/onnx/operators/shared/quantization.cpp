#include "generator/onnx/operators/shared/quantization.h"

#include <onnx/onnx_pb.h>

#include <utility>
#include <variant>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/model/tensor.h"
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

/// Empty if scales are no such ones.
Dims rows_of_blocks(const NodeView& node, const Dims& dims) {
  const std::int64_t block = node.integer("block_size", 0);
  if (block < 1 || dims.empty() || dims.back() % block != 0) return {};
  if (NodeView::axis(node.integer("axis", 1), dims.size()) != std::ssize(dims) - 1) return {};
  Dims blocks = dims;
  blocks.back() /= block;
  if (node.shape(1) != blocks) return {};
  return {element_count(blocks), block};
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

std::int64_t scale_axis(const NodeView& node, const Dims& dims) {
  if (element_count(node.shape(1)) == 1) return -1;
  const std::int64_t axis = NodeView::axis(node.integer("axis", 1), dims.size());
  if (node.shape(1) != Dims{dims[static_cast<std::size_t>(axis)]}) {
    throw NotExpressible("scales of blocks");
  }
  return axis;
}

Quantization quantization(const NodeView& node, QuantizationKind kind, bool fp8) {
  const Dims dims = node.extents(0);
  Dims rows = rows_of_blocks(node, dims);
  if (!rows.empty()) return {.kind = kind, .input = std::move(rows), .axis = 0, .fp8 = fp8};
  return {.kind = kind, .input = dims, .axis = scale_axis(node, dims), .fp8 = fp8};
}

Source dequantized(const NodeView& node, std::size_t index, std::vector<Call>& calls) {
  const int type = node.input(index).type;
  if (type != ::onnx::TensorProto::INT8 && type != ::onnx::TensorProto::UINT8) {
    throw NotExpressible("quantized " + type_name(type));
  }
  if (node.elements(index + 1) != 1) throw NotExpressible("a scale for each channel");
  return add_call(
      calls, call(Quantization{.kind = QuantizationKind::dequantize, .input = node.extents(index)},
                  {from_input(index)}));
}

Lowered quantized(std::vector<Call> calls) {
  calls.push_back(
      call(Quantization{.kind = QuantizationKind::quantize, .input = output(calls.back().problem)},
           {last_result(calls)}));
  return measured(std::move(calls), Types::checked_by_lowering);
}

PackedWeights nbits_weights(const NodeView& node, std::size_t index, const Gemm& shape,
                            bool zero_points) {
  const std::int64_t bits = node.integer("bits", 4);
  const std::int64_t block = node.integer("block_size", 0);
  const PackedType type = nbits_type(bits, zero_points);
  if (block < 1) throw Error("a block_size below 1");
  const auto needed = checked_element_count({shape.n, (shape.k - 1) / block + 1, block, bits});
  const std::int64_t stored = element_count(node.shape(index)) * type_bits(node.input(index).type);
  if (!needed || stored != *needed) {
    throw Error(std::to_string(stored / 8) + " bytes of weights; N, K, bits and block_size need " +
                (needed ? std::to_string(*needed / 8) : "more than there can be"));
  }
  constexpr std::int64_t data_of_bytes = 4;
  return {.type = type,
          .block = block,
          .zero_points = zero_points,
          .rounds_data = node.integer("accuracy_level", 0) == data_of_bytes};
}

}  // namespace benanza::onnx
