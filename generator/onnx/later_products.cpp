#include "generator/onnx/later_products.h"

#include <optional>
#include <string>
#include <variant>

#include "generator/onnx/byte_conversions.h"
#include "generator/onnx/scale_axes.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

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
