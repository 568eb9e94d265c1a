#include "generator/onnx/block_products.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "generator/onnx/byte_conversions.h"
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

constexpr std::size_t second = 1;

/// The weights of a product, if they are constant.
const Value* weights_of(const Step& step, const LoweredLayer& layer, const Call& call) {
  if (!is_product(call.problem) || call.operands.size() <= second) return nullptr;
  const Source& source = behind_copies(layer, call.operands[second]);
  const auto input = static_cast<std::size_t>(source.index);
  if (source.kind != Source::Kind::input || input >= step.inputs.size()) return nullptr;
  const Value* const value = step.inputs[input];
  return value != nullptr && value->constant ? value : nullptr;
}

/// How the file stores them, if a product takes them so: of groups, with a scale for each block of
/// a sum, or one for all.
std::optional<PackedWeights> packed_for(const Program& program, const Call& call,
                                        const Value& weights) {
  if (call.operands[second].kind != Source::Kind::input) return std::nullopt;
  auto packed = packed_weights(program, weights);
  const Step* const scaled = dequantization(program, weights);
  if (!packed || scaled == nullptr) return std::nullopt;
  if (inputs(call.problem)[second].role != Role::weights) return std::nullopt;
  if (has_scales_of_matrices(program, call, weights, scaled)) packed->per_column = false;
  // The file has one scale for the same column of all groups.
  if (packed->per_column && std::holds_alternative<GroupedGemm>(call.problem.shape)) {
    return std::nullopt;
  }
  const bool is_refused = refused_scales(program, call, weights, scaled, packed->block) != nullptr;
  return is_refused ? std::nullopt : packed;
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

void describe_later_products(const Program& program, const Step& step, LoweredLayer& layer) {
  // The calls of bytes have their weights as they are.
  if (!layer.precision.empty()) return;
  bool changed = false;
  std::string note;
  for (std::size_t place = 1; place < layer.calls.size(); ++place) {
    Call& call = layer.calls[place];
    const Value* const weights = call.problem.packed ? nullptr : weights_of(step, layer, call);
    if (weights == nullptr) continue;
    if (const auto packed = packed_for(program, call, *weights)) {
      call.problem.packed = packed;
      changed = true;
    } else if (note.empty()) {
      note = taken_for_floats(program, *weights);
    }
  }
  if (changed) set_work(layer);
  if (!note.empty()) layer.reason += (layer.reason.empty() ? "" : "; ") + note;
}

}  // namespace benanza::onnx
