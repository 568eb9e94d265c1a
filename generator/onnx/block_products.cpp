#include "generator/onnx/block_products.h"

#include <cstdint>
#include <variant>

#include "generator/onnx/model/tensor.h"
#include "generator/onnx/scale_axes.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

constexpr std::int64_t block = 128;

bool is_e4m3(const Value& value) { return type_name(value.type) == "float8e4m3fn"; }

/// Whether scales of extents `scales` differ neither within the rows of `data` nor, if these are
/// divided, within a block.
bool are_scales_of_rows(const Dims& data, const Dims& scales, const Step& step) {
  if (element_count(scales) == 1) return true;
  if (data.empty()) return false;
  const std::int64_t rank = std::ssize(data);
  const std::int64_t stated = step.node.integer("axis", 1);
  const std::int64_t axis = stated < 0 ? stated + rank : stated;
  if (step.node.integer("block_size", 0) == 0) {
    return scales.size() == 1 && axis == 0 && rank == 2;
  }
  Dims blocks = data;
  blocks.back() = (data.back() + block - 1) / block;
  return step.node.integer("block_size", 0) == block && axis == rank - 1 && scales == blocks;
}

}  // namespace

bool makes_rows_of_fp8(const Step& step) {
  const auto packed = packed_by(step);
  if (!packed || packed->type != PackedType::fp8) return false;
  const Value& data = *step.inputs[0];
  const Value& scales = *step.inputs[1];
  return is_e4m3(data) && data.shape && scales.shape &&
         are_scales_of_rows(*data.shape, *scales.shape, step);
}

std::optional<PackedWeights> weights_in_blocks(const Program& program, const Call& product,
                                               const Value& weights) {
  const auto* const gemm = std::get_if<Gemm>(&product.problem.shape);
  if (gemm == nullptr || gemm->transpose_a || !gemm->batch_b.empty() ||
      product.problem.epilogue != Epilogue{}) {
    return std::nullopt;
  }
  auto packed = product.problem.packed;
  if (!packed) {
    const Step* const conversion = dequantization(program, weights);
    packed = packed_weights(program, weights);
    if (!packed || conversion == nullptr || !is_e4m3(*conversion->inputs[0]) ||
        refused_scales(program, product, weights, conversion, packed->block) != nullptr) {
      return std::nullopt;
    }
  }
  if (packed != PackedWeights{.type = PackedType::fp8, .block = block}) return std::nullopt;
  return packed;
}

}  // namespace benanza::onnx
