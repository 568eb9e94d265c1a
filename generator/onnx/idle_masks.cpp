#include "generator/onnx/idle_masks.h"

#include <algorithm>
#include <variant>

#include "generator/lowered/call_list.h"

namespace benanza::onnx {
namespace {

/// A sum of scores and a mask that hides nothing.
bool is_idle(const LoweredLayer& layer, const Call& call) {
  const auto* sum = std::get_if<Binary>(&call.problem.shape);
  if (sum == nullptr || sum->kind != BinaryKind::add || sum->output() != sum->a) return false;
  if (call.operands[0].kind != Source::Kind::call) return false;
  const Source& mask = call.operands[1];
  const auto index = static_cast<std::size_t>(mask.index);
  return mask.kind == Source::Kind::input && index < layer.reads.size() &&
         layer.reads[index].hides_nothing;
}

}  // namespace

void drop_idle_masks(LoweredLayer& layer) {
  const auto softmax = std::ranges::find_if(layer.calls, [](const Call& call) {
    return std::holds_alternative<Softmax>(call.problem.shape);
  });
  if (layer.cost != Cost::measured || softmax == layer.calls.end()) return;
  const std::size_t count = layer.calls.size();
  for (auto index = static_cast<std::size_t>(softmax - layer.calls.begin()); index-- > 0;) {
    if (!is_idle(layer, layer.calls[index])) continue;
    erase_call(layer.calls, index, Source(layer.calls[index].operands[0]));
  }
  if (layer.calls.size() != count) set_work(layer);
}

}  // namespace benanza::onnx
