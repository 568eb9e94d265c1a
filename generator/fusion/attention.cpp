#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/problem/ops/attention.h"
#include "generator/fusion/attention.h"
#include "generator/fusion/attention_call.h"
#include "generator/fusion/attention_masks.h"
#include "generator/fusion/strided_view.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {
namespace {

/// Where attention is in a layer that also does other work.
struct AttentionPlace {
  /// The product with the values, in the layer.
  const Call* values = nullptr;
  /// The calls that attention replaces, in the layer.
  std::set<const Call*> inside = {};
  /// What it reads, by the layer's calls.
  std::vector<Source> operands = {};
};

/// What a call reads that has the operand `source`, of extents `dims`, where copies found it.
Source read_in_place(const std::vector<Call>& calls, Source source, const Dims& dims) {
  StridedView view(dims, dense_strides(dims));
  while (source.kind == Source::Kind::call && source.is_whole() && source.scale == 1) {
    const Call& call = calls[static_cast<std::size_t>(source.index)];
    const Copy* const copy = copy_of_all(call);
    StridedView before = view;
    const bool goes = copy != nullptr &&
                      before.back_through(*copy, call.from_offset, call.to_offset) &&
                      before.strides();
    if (!goes) break;
    view = std::move(before);
    source = call.operands[0];
  }
  const Dims strides = view.strides().value_or(Dims{});
  if (strides == dense_strides(dims) && view.offset() == 0) return source;
  source.part_from = source.part_from.value_or(0) + view.offset();
  source.strides = strides;
  return source;
}

/// Rows of matrices with room for more.
void make_strided(Source& source, const Dims& dims) {
  if (source.matrix_rows == 0) return;
  const std::int64_t matrix = source.matrix_rows * dims[3];
  source.strides = {dims[1] * matrix, matrix, dims[3], 1};
  source.matrix_rows = 0;
}

/// If the last call is a copy of attention's result, attention writes it in place.
void write_in_place(std::vector<Call>& calls, const Dims& dims) {
  if (calls.size() < 2) return;
  const Call& last = calls.back();
  Call& made = calls[calls.size() - 2];
  const Copy* const copy = copy_of_all(last);
  const bool follows = std::holds_alternative<Attention>(made.problem.shape) && copy != nullptr &&
                       last.operands[0].kind == Source::Kind::call && last.operands[0].is_whole() &&
                       last.output == made.output &&
                       static_cast<std::size_t>(last.operands[0].index) + 2 == calls.size();
  if (!follows) return;
  StridedView view(dims, dense_strides(dims));
  if (!view.back_through(reversed(*copy), last.to_offset, last.from_offset)) return;
  const auto strides = view.strides();
  if (view.offset() != 0 || !strides) return;
  made.result_strides = *strides;
  calls.pop_back();
}

/// All that the layer does, with one call for `shape`. It reads and writes heads where they are, so
/// that copies which only move them are left out. None if `place` has no operands.
std::vector<Call> attention_calls(const LoweredLayer& layer, const AttentionPlace& place,
                                  const Attention& shape) {
  if (place.operands.empty()) return {};
  Call attention{.problem = {shape, {}}, .operands = place.operands};
  const std::vector<Operand> operands = shape.inputs();
  const bool needs_dense = queries_can_be_heads(shape);
  for (std::size_t index = needs_dense ? 1 : 0; index < 3; ++index) {
    Source& source = attention.operands[index];
    make_strided(source, operands[index].dims);
    source = read_in_place(layer.calls, source, operands[index].dims);
  }
  std::vector<Call> calls(layer.calls.begin(), layer.calls.end());
  const auto values = static_cast<std::size_t>(place.values - layer.calls.data());
  attention.output = calls[values].output;
  calls[values] = std::move(attention);
  for (std::size_t index = calls.size(); index-- > 0;) {
    if (index != values && place.inside.contains(&layer.calls[index])) erase_call(calls, index, {});
  }
  if (!needs_dense) write_in_place(calls, shape.output());
  const int output = calls.back().output;
  for (std::size_t index = calls.size() - 1; index-- > 0;) {
    const bool is_idle = copy_of_all(calls[index]) != nullptr && calls[index].output == output &&
                         !is_read(calls, index);
    if (is_idle) erase_call(calls, index, {});
  }
  return calls;
}

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

/// What `call`, a concatenation, adds to the scores; a copy, which becomes one of `inside`, may
/// repeat it for every query.
Source sinks_of(const LoweredLayer& layer, const Call& call, std::set<const Call*>& inside) {
  const Call* const copy = producer(layer, call, 1);
  if (copy == nullptr) return call.operands[1];
  inside.insert(copy);
  return copy->operands[0];
}

/// Whether the call makes one column more of the scores' columns.
bool adds_a_column(const Call* call) {
  const auto* const concat = shape_of<Concat>(call);
  return concat != nullptr && concat->parts.size() == 2 && concat->axis == 3 &&
         concat->parts[1][3] == 1;
}

/// Takes c tanh(x), c above 0, which is one call with a step. 0: there is none.
float take_cap(const LoweredLayer& layer, const Call*& before, std::set<const Call*>& inside) {
  const auto* const tanh = shape_of<Activation>(before);
  if (tanh == nullptr || tanh->kind != ActivationKind::tanh) return 0;
  const std::vector<Step>& steps = before->problem.epilogue.steps;
  const auto* const factor = steps.size() == 1 ? std::get_if<Activation>(&steps[0]) : nullptr;
  const bool is_factor = factor != nullptr && factor->kind == ActivationKind::linear &&
                         factor->alpha > 0 && factor->beta == 0;
  if (!is_factor) return 0;
  inside.insert(before);
  before = producer(layer, *before, 0);
  return factor->alpha;
}

/// Two products around a softmax, and what is done to the scores between them.
struct Products {
  const Call* scores = nullptr;
  const Call* values = nullptr;
  Attention shape = {};
  ScoreMasks masks = {};
  /// Where the sinks come from, and the tensors that are added to the scores.
  std::optional<Source> sink_source = {};
  std::vector<Source> mask_sources = {};
  std::set<const Call*> inside = {};
};

/// The product with the values; before it a copy leaves out the column of the sinks, if there are
/// any. Null if it is another call.
const Call* product_behind(const LoweredLayer& layer, const Call* softmax, bool has_sinks) {
  const Call* const end = layer.calls.data() + layer.calls.size();
  const Call* weights = softmax;
  if (has_sinks) {
    ++weights;
    if (weights == end || !is_copy(*weights) || producer(layer, *weights, 0) != softmax) {
      return nullptr;
    }
  }
  const Call* const product = weights + 1;
  if (product == end || shape_of<Gemm>(product) == nullptr) return nullptr;
  return producer(layer, *product, 0) == weights ? product : nullptr;
}

std::optional<Products> products_of(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  const auto softmax = std::ranges::find_if(layer.calls, [](const Call& call) {
    return std::holds_alternative<Softmax>(call.problem.shape);
  });
  if (softmax == layer.calls.end()) return std::nullopt;
  Dims scores = std::get<Softmax>(softmax->problem.shape).input;
  if (scores.size() != 4) return std::nullopt;
  Products found;
  Attention& shape = found.shape;
  const Call* before = producer(layer, *softmax, 0);
  shape.sink = adds_a_column(before);
  found.values = product_behind(layer, &*softmax, shape.sink);
  if (found.values == nullptr) return std::nullopt;
  found.inside = {&*softmax, found.values};
  if (shape.sink) {
    --scores[3];
    found.sink_source = sinks_of(layer, *before, found.inside);
    found.inside.insert({before, found.values - 1});
    before = producer(layer, *before, 0);
  }
  while (shape_of<Binary>(before) != nullptr) {
    found.masks.add(mask_of(flow, index, *before));
    found.mask_sources.push_back(before->operands[1]);
    found.inside.insert(before);
    before = producer(layer, *before, 0);
  }
  shape.soft_cap = take_cap(layer, before, found.inside);
  const auto* products = shape_of<Gemm>(before);
  if (products == nullptr) return std::nullopt;
  found.scores = before;
  found.inside.insert(before);
  shape.batch = scores[0];
  shape.heads = scores[1];
  shape.queries = scores[2];
  shape.keys = scores[3];
  shape.value_size = std::get<Gemm>(found.values->problem.shape).n;
  shape.size = products->k;
  shape.scale = before->operands[0].scale * (shape.soft_cap > 0 ? shape.soft_cap : 1);
  shape.kv_heads = std::max<std::int64_t>(1, element_count(products->batch()) / shape.batch);
  shape.new_keys = shape.keys > shape.queries && !products->cached_b;
  if (shape.kv_heads * products->m != shape.heads * shape.queries) return std::nullopt;
  return found;
}

/// Without operands if the call adds more than one tensor, or the keys are columns.
AttentionPlace place_in_layer(const Products& found, const Attention& shape) {
  AttentionPlace place{.values = found.values, .inside = found.inside};
  const bool are_rows = std::get<Gemm>(found.scores->problem.shape).transpose_b;
  if (!are_rows || (!shape.mask.empty() && found.mask_sources.size() != 1)) return place;
  place.operands = found.scores->operands;
  place.operands[0].scale = 1;
  place.operands.push_back(found.values->operands[1]);
  if (!shape.mask.empty()) place.operands.push_back(found.mask_sources[0]);
  if (found.sink_source) place.operands.push_back(*found.sink_source);
  return place;
}

/// The calls that convert all keys and values from a cache of 8-bit floats; empty if other calls
/// make them, or of other numbers.
std::vector<const Call*> cache_conversions(const Flow& flow, std::size_t index,
                                           const Products& found) {
  std::vector<const Call*> conversions;
  for (const Call* const product : {found.scores, found.values}) {
    const Call* const before = producer(flow.layer(index), *product, 1);
    const auto* const conversion = shape_of<Quantization>(before);
    if (conversion == nullptr || conversion->writes_bytes()) return {};
    const Read* const cache = flow.read(index, before->operands[0]);
    if (cache == nullptr || cache->type != "float8e4m3fn") return {};
    conversions.push_back(before);
  }
  return conversions;
}

/// Query rows for each head of keys with which a call reads a cache of 8-bit floats as it is: with
/// more, products at fp8 might be faster than the floor of the layer, whose products are floats.
constexpr std::int64_t most_rows_on_bytes = 64;

/// One call that reads the cache as it is stored, and what else the layer does. Libraries multiply
/// by such keys and values in their type alone, so that queries and weights are rounded to it.
std::optional<FoundFusion> attention_on_bytes(const Flow& flow, std::size_t index,
                                              const Products& found, Attention shape) {
  const std::vector<const Call*> conversions = cache_conversions(flow, index, found);
  const std::int64_t rows = shape.heads / shape.kv_heads * shape.queries;
  if (conversions.empty() || rows > most_rows_on_bytes) return std::nullopt;
  std::vector<std::string> also;
  for (const Call& call : flow.layer(index).calls) {
    if (found.inside.contains(&call) || is_copy(call)) continue;
    const bool converts = std::ranges::find(conversions, &call) != conversions.end();
    if (!converts) also.push_back(key(call.problem));
  }
  shape.new_keys = false;
  const Problem problem{shape, {}, PackedWeights{.type = PackedType::fp8}};
  return FoundFusion{{.pattern = "attention",
                      .layers = {index},
                      .problem = key(problem),
                      .also = std::move(also)}};
}

/// Fuses a node with two products around a softmax, and copies that move heads; the one call reads
/// and writes them in place. What is_beside() accepts stays beside it.
std::vector<FoundFusion> attention_fusions(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (!layer.precision.empty()) return {};
  const auto found = products_of(flow, index);
  if (!found) return {};
  for (const Call* const call : found->inside) {
    // The one call makes no scores.
    if (call->output != found->values->output) return {};
  }
  std::vector<std::string> also;
  for (const Call& call : layer.calls) {
    if (found->inside.contains(&call) || is_copy(call)) continue;
    if (!is_beside(call)) return {};
    also.push_back(key(call.problem));
  }
  const auto place_of = [&](const Call* call) {
    return ProductCall{index, static_cast<std::size_t>(call - layer.calls.data())};
  };
  AttentionParts parts{.scores = place_of(found->scores), .values = place_of(found->values)};
  if (found->sink_source) parts.sinks = flow_operand(flow, index, *found->sink_source);
  std::vector<FoundFusion> fusions;
  for (ScoreMasks::Form& form : found->masks.forms(found->shape)) {
    parts.masks = std::move(form.added);
    auto call = attention_call(flow, form.shape, parts, {index});
    std::vector<Call> calls;
    if (!call) calls = attention_calls(layer, place_in_layer(*found, form.shape), form.shape);
    fusions.push_back({{.pattern = "attention",
                        .layers = {index},
                        .problem = key({form.shape, {}}),
                        .also = also},
                       std::move(call),
                       std::move(calls)});
    if (auto on_bytes = attention_on_bytes(flow, index, *found, form.shape)) {
      fusions.push_back(*std::move(on_bytes));
    }
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
