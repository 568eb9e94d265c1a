#include <algorithm>
#include <limits>
#include <set>

#include "generator/fusion/attention.h"
#include "generator/fusion/attention_call.h"
#include "generator/fusion/attention_masks.h"

namespace benanza::fusion {
namespace {

/// The call whose result is operand `operand` of `call`; null if it is not in the layer.
const Call* producer(const LoweredLayer& layer, const Call& call, std::size_t operand) {
  const Source& source = call.operands[operand];
  return source.kind == Source::Kind::call ? &layer.calls[static_cast<std::size_t>(source.index)]
                                           : nullptr;
}

template <class Shape>
const Shape* shape_of(const Call* call) {
  return call == nullptr ? nullptr : std::get_if<Shape>(&call->problem.shape);
}

bool is_copy(const Call& call) { return std::holds_alternative<Copy>(call.problem.shape); }

/// Calls that no call for attention does, but that leave its operands as they are: projecting rows
/// and adding to them, appending to earlier keys and values, converting these, normalizing and
/// rotating.
bool is_beside(const Call& call) {
  const auto* sum = std::get_if<Binary>(&call.problem.shape);
  return (sum != nullptr && sum->kind == BinaryKind::add) ||
         std::holds_alternative<Gemm>(call.problem.shape) ||
         std::holds_alternative<Concat>(call.problem.shape) ||
         std::holds_alternative<Quantization>(call.problem.shape) ||
         std::holds_alternative<Rotary>(call.problem.shape) ||
         std::holds_alternative<LayerNormalization>(call.problem.shape);
}

/// The mask that a call adds to the scores.
ScoreMasks::Mask mask_of(const Flow& flow, std::size_t index, const Call& call) {
  const auto& add = std::get<Binary>(call.problem.shape);
  ScoreMasks::Mask mask{.extents = add.b, .scores = add.a, .constant = add.constant_b};
  const Source& source = call.operands[1];
  if (source.kind == Source::Kind::attribute && source.index == 0) {
    mask.hidden = -std::numeric_limits<double>::infinity();
    mask.triangle = Triangle{.queries = add.b.end()[-2],
                             .keys = add.b.end()[-1],
                             .window = source.window,
                             .outside = mask.hidden};
    mask.operand = FlowOperand{.kind = FlowOperand::Kind::causal, .window = source.window};
    return mask;
  }
  const Read* read = flow.read(index, source);
  if (read != nullptr) mask.operand = added_tensor(*read);
  if (read == nullptr || !read->triangle) return mask;
  // Truth values stand for what they add.
  const bool truth = read->triangle->truth;
  mask.triangle = truth ? hiding_choice(*read, true) : hiding_sum(*read, 1);
  mask.hidden = truth ? -std::numeric_limits<double>::infinity() : read->triangle->outside;
  return mask;
}

/// Fuses a node with two products around a softmax, and copies that move heads; the one call reads
/// and writes them in place. What is_beside() accepts stays beside it.
std::vector<FoundFusion> attention_fusions(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (!layer.precision.empty()) return {};
  const auto found = std::find_if(layer.calls.begin(), layer.calls.end(), [](const Call& call) {
    return std::holds_alternative<Softmax>(call.problem.shape);
  });
  if (found == layer.calls.end() || found + 1 == layer.calls.end()) return {};
  const Dims& scores = std::get<Softmax>(found->problem.shape).input;
  const auto* values = shape_of<Gemm>(&found[1]);
  if (scores.size() != 4 || values == nullptr || producer(layer, found[1], 0) != &*found) {
    return {};
  }
  Attention shape{.batch = scores[0],
                  .heads = scores[1],
                  .queries = scores[2],
                  .keys = scores[3],
                  .value_size = values->n,
                  .mask = {}};
  ScoreMasks masks;
  std::set<const Call*> inside{&found[0], &found[1]};
  const Call* before = producer(layer, *found, 0);
  while (shape_of<Binary>(before) != nullptr) {
    masks.add(mask_of(flow, index, *before));
    inside.insert(before);
    before = producer(layer, *before, 0);
  }
  const auto* products = shape_of<Gemm>(before);
  if (products == nullptr) return {};
  inside.insert(before);
  shape.size = products->k;
  shape.scale = before->operands[0].scale;
  shape.kv_heads = std::max<std::int64_t>(1, element_count(products->batch()) / shape.batch);
  if (shape.kv_heads * products->m != shape.heads * shape.queries) return {};
  std::vector<std::string> also;
  for (const Call& call : layer.calls) {
    if (inside.contains(&call) || is_copy(call)) continue;
    if (!is_beside(call)) return {};
    also.push_back(key(call.problem));
  }
  const auto place_of = [&](const Call* call) {
    return ProductCall{index, static_cast<std::size_t>(call - layer.calls.data())};
  };
  AttentionParts parts{place_of(before), place_of(&found[1])};
  std::vector<FoundFusion> fusions;
  for (ScoreMasks::Form& form : masks.forms(shape)) {
    parts.masks = std::move(form.added);
    fusions.push_back({{.pattern = "attention",
                        .layers = {index},
                        .problem = key({form.shape, {}}),
                        .also = also},
                       attention_call(flow, form.shape, parts, {index})});
  }
  return fusions;
}

}  // namespace

std::vector<FoundFusion> attention_layers(const Flow& flow) {
  std::vector<FoundFusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    for (FoundFusion& fusion : attention_fusions(flow, index)) fusions.push_back(std::move(fusion));
  }
  return fusions;
}

}  // namespace benanza::fusion
