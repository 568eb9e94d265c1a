#include "generator/fusion/attention_softmax.h"

#include <cmath>

#include "generator/fusion/attention_masks.h"

namespace benanza::fusion {
namespace {

const Binary* factor(const LoweredLayer& layer) {
  const auto* product =
      layer.calls.size() == 1 ? std::get_if<Binary>(&layer.calls[0].problem.shape) : nullptr;
  const bool scales = product != nullptr && product->constant_b && element_count(product->b) == 1 &&
                      (product->kind == BinaryKind::mul || product->kind == BinaryKind::div);
  return scales ? product : nullptr;
}

/// The layer's only call, if its problem is a `Shape`.
template <class Shape>
const Shape* only_call(const LoweredLayer& layer) {
  return layer.calls.size() == 1 ? std::get_if<Shape>(&layer.calls[0].problem.shape) : nullptr;
}

/// Extents of what is read, if known.
std::optional<Dims> extents_of(const Flow& flow, const Read& read) {
  if (!read.producer) return read.given;
  const auto& outputs = flow.layer(*read.producer).outputs;
  return read.output < outputs.size() ? outputs[read.output].shape : std::nullopt;
}

/// Whether a tensor of these extents has one element for each of the heads, which are the third
/// axis from the last.
bool is_of_heads(const Dims& dims, std::int64_t heads) {
  if (dims.size() < 3) return false;
  return dims.end()[-3] == heads && element_count(dims) == heads;
}

}  // namespace

bool ScoreScale::is_factor(const LoweredLayer& layer) { return factor(layer) != nullptr; }

std::optional<double> ScoreScale::factor_of(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  const Read* read = flow.read(index, layer.calls[0].operands[1]);
  if (read == nullptr || !read->value) return std::nullopt;
  return factor(layer)->kind == BinaryKind::div ? 1 / *read->value : *read->value;
}

void ScoreScale::times(std::optional<double> factor) {
  // 0 stands for a number that was left out.
  known_ = known_ && factor && std::isfinite(*factor) && *factor != 0;
  if (known_) product_ *= *factor;
}

float ScoreScale::of(std::int64_t size) const {
  constexpr double tolerated = 0x1p-8;
  const float usual = 1 / std::sqrt(static_cast<float>(size));
  if (!known_) return usual;
  const bool is_usual = std::abs(product_ / static_cast<double>(usual) - 1) < tolerated;
  return is_usual ? usual : static_cast<float>(product_);
}

std::vector<std::size_t> cleared_rows(const Flow& flow, std::size_t softmax) {
  if (flow.layer(softmax).uses != 2) return {};
  for (std::size_t test = softmax + 1; test < flow.size(); ++test) {
    const LoweredLayer& layer = flow.layer(test);
    if (layer.op != "IsNaN" || layer.reads[0].producer != softmax) continue;
    const auto where = flow.reader(test);
    if (!where || flow.layer(*where).op != "Where") return {};
    const auto& sources = flow.layer(*where).reads;
    if (sources[0].producer != test || !sources[1].constant || sources[2].producer != softmax) {
      return {};
    }
    return {test, *where};
  }
  return {};
}

std::vector<std::size_t> less_their_largest(const Flow& flow, std::size_t scores) {
  if (flow.layer(scores).uses != 2) return {};
  for (std::size_t index = scores + 1; index < flow.size(); ++index) {
    const LoweredLayer& layer = flow.layer(index);
    const auto* const largest = only_call<Reduction>(layer);
    if (largest == nullptr || layer.reads[0].producer != scores) continue;
    const auto last_axis = static_cast<std::int64_t>(largest->input.size()) - 1;
    if (largest->kind != ReductionKind::max || largest->axes != Dims{last_axis}) return {};
    const auto reader = flow.reader(index);
    if (!reader) return {};
    const LoweredLayer& behind = flow.layer(*reader);
    const auto* const difference = only_call<Binary>(behind);
    const bool fits = difference != nullptr && difference->kind == BinaryKind::sub &&
                      flow.comes_from(*reader, behind.calls[0].operands[0], scores) &&
                      flow.comes_from(*reader, behind.calls[0].operands[1], index);
    if (!fits || difference->output() != largest->input) return {};
    return {index, *reader};
  }
  return {};
}

std::optional<SinkColumn> sink_column(const Flow& flow, std::size_t concat, std::size_t part) {
  const LoweredLayer& layer = flow.layer(concat);
  const auto* const shape = only_call<Concat>(layer);
  if (shape == nullptr || shape->parts.size() != 2) return std::nullopt;
  const Dims& column = shape->parts[part];
  if (column.size() != 4 || shape->axis != 3 || column[3] != 1) return std::nullopt;
  const std::int64_t heads = column[1];
  const Read* read = flow.read(concat, layer.calls[0].operands[part]);
  // Before an Expand that repeats it for all queries.
  while (read != nullptr) {
    const auto dims = extents_of(flow, *read);
    if (dims && is_of_heads(*dims, heads)) {
      return SinkColumn{.part = part, .heads = heads, .tensor = added_tensor(*read)};
    }
    if (!read->producer) break;
    const LoweredLayer& made = flow.layer(*read->producer);
    if (made.op != "Expand" && !flow.passes_on(*read->producer)) break;
    read = &made.reads.front();
  }
  return std::nullopt;
}

bool leaves_out(const LoweredLayer& layer, const SinkColumn& sinks) {
  if (layer.op != "Slice" || only_call<Copy>(layer) == nullptr) return false;
  const Call& copy = layer.calls[0];
  const auto& made = layer.outputs[0].shape;
  if (!made || made->size() != 4 || made->back() < 1) return false;
  const std::int64_t columns = made->back();
  const auto& view = std::get<Copy>(copy.problem.shape);
  const bool is_one_row = element_count(*made) == columns;
  return !copy.is_proxy && copy.from_offset == (sinks.part == 0 ? 1 : 0) && copy.to_offset == 0 &&
         view.moved_elements() == element_count(*made) && view.from.back() == 1 &&
         (is_one_row || view.from == Dims{columns + 1, 1});
}

}  // namespace benanza::fusion
