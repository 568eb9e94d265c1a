#include <algorithm>
#include <limits>
#include <optional>

#include "generator/fusion/attention.h"
#include "generator/fusion/attention_call.h"
#include "generator/fusion/attention_masks.h"
#include "generator/fusion/attention_operands.h"
#include "generator/fusion/attention_softmax.h"

namespace benanza::fusion {
namespace {

/// The layer's only call, if its problem is a `Shape` of floats: products of bytes or with packed
/// weights are none of attention's.
template <class Shape>
const Shape* only(const LoweredLayer& layer) {
  if (layer.calls.size() != 1 || !layer.precision.empty()) return nullptr;
  const Problem& problem = layer.calls[0].problem;
  return problem.packed ? nullptr : std::get_if<Shape>(&problem.shape);
}

/// True if operand `operand` of the only call of layer `index` is the result of layer `producer`.
bool reads(const Flow& flow, std::size_t index, std::size_t operand, std::size_t producer) {
  return flow.comes_from(index, flow.layer(index).calls[0].operands[operand], producer);
}

/// The factor of a product that its operands carry.
double operand_scale(const Call& product) {
  double scale = 1;
  for (const Source& source : product.operands) scale *= static_cast<double>(source.scale);
  return scale;
}

/// The heads of keys for one product per head of keys, or per head of queries if a head of keys
/// serves several consecutive products; empty if it does not.
std::optional<std::int64_t> key_matrices(const Gemm& product) {
  const std::int64_t products = element_count(product.batch());
  if (element_count(product.batch_b) == products) return products;
  const bool shares = product.batch_a.size() == 2 && product.batch_b.size() == 2 &&
                      product.batch_a == product.batch() && product.batch_b[1] == 1;
  if (!shares) return std::nullopt;
  return product.batch_b[0];
}

class Finder {
 public:
  Finder(const Flow& flow, std::size_t product)
      : flow_(flow), product_(product), last_(product), layers_{product} {}

  /// The attention call alone, and with the surrounding copies that group heads, because the call
  /// can read and write them in place.
  std::vector<FoundFusion> find() {
    const auto* scores = only<Gemm>(flow_.layer(product_));
    if (scores == nullptr || scores->constant_b || scores->transpose_a) return {};
    scale_.times(operand_scale(flow_.layer(product_).calls[0]));
    OperandWalk queries(flow_, product_, 0);
    queries.take_factors(scale_);
    OperandWalk keys(flow_, product_, 1);
    const std::int64_t key_repeats = take_keys(*scores, keys);
    while (take_factor() || take_cap() || take_sum() || take_clearing() || take_selection()) {
    }
    const std::optional<SinkColumn> sinks = take_sinks();
    take_layers(less_their_largest(flow_, last_));
    const Softmax* softmax = take_softmax();
    if (softmax == nullptr || (sinks && !take_end_of_sinks(*sinks))) return {};
    const auto* product = take_values(*scores);
    if (product == nullptr) return {};
    OperandWalk values(flow_, last_, 1);
    const std::int64_t value_repeats = values.take_repeats();
    Dims weighted_dims = softmax->input;
    if (sinks) --weighted_dims.back();
    if (!set_extents(weighted_dims, *scores) || !share_heads(key_repeats, value_repeats)) {
      return {};
    }
    shape_.size = scores->k;
    shape_.new_keys = shape_.keys > shape_.queries && !scores->cached_b;
    shape_.value_size = product->n;
    shape_.scale = scale_.of(shape_.size);
    std::vector<OperandWalk*> operands{&queries, &keys, &values};
    std::vector<std::vector<std::size_t>> extents{all_layers(operands)};
    for (OperandWalk* operand : operands) operand->take_heads();
    take_heads_of_result();
    std::vector<std::size_t> most = all_layers(operands);
    const std::vector<Rows> rows{{queries.reader(), queries.operand(), shape_.size},
                                 {keys.reader(), keys.operand(), shape_.size},
                                 {values.reader(), values.operand(), shape_.value_size}};
    for (const std::size_t layer : layers_that_pick(flow_, rows)) most.push_back(layer);
    if (most.size() != extents[0].size()) extents.push_back(std::move(most));
    const ProductCall weighted{.layer = values_};
    AttentionParts parts{{.layer = product_}, weighted, key_repeats};
    if (sinks) {
      if (sinks->heads != shape_.heads) return {};
      shape_.sink = true;
      parts.sinks = sinks->tensor;
    }
    std::vector<FoundFusion> fusions;
    for (const ScoreMasks::Form& form : masks_.forms(shape_)) {
      parts.masks = form.added;
      for (const auto& layers : extents) fusions.push_back(as_fusion(form.shape, parts, layers));
    }
    return fusions;
  }

 private:
  FoundFusion as_fusion(const Attention& shape, const AttentionParts& parts,
                        std::vector<std::size_t> layers) const {
    std::ranges::sort(layers);
    auto call = scale_.is_known() ? attention_call(flow_, shape, parts, layers) : std::nullopt;
    return {{"attention", std::move(layers), key({shape, {}})}, std::move(call)};
  }

  std::vector<std::size_t> all_layers(const std::vector<OperandWalk*>& operands) const {
    std::vector<std::size_t> all = layers_;
    for (const OperandWalk* operand : operands) {
      all.insert(all.end(), operand->layers().begin(), operand->layers().end());
    }
    return all;
  }

  /// The layer that reads the last layer's result, skipping casts and views, if that layer has only
  /// one call and one output.
  const LoweredLayer* next() {
    passed_.clear();
    auto reader = flow_.reader(last_);
    while (reader && flow_.passes_on(*reader)) {
      passed_.push_back(*reader);
      reader = flow_.reader(*reader);
    }
    if (!reader) return nullptr;
    const LoweredLayer& layer = flow_.layer(*reader);
    if (layer.calls.size() != 1 || layer.outputs.size() != 1) return nullptr;
    if (!layer.precision.empty()) return nullptr;
    reader_ = *reader;
    return &layer;
  }

  /// The layer whose result the next layer reads.
  std::size_t before() const { return passed_.empty() ? last_ : passed_.back(); }

  /// True if operand `operand` of the next layer's call is the last layer's result.
  bool next_reads(std::size_t operand) const { return reads(flow_, reader_, operand, before()); }

  void take() {
    layers_.insert(layers_.end(), passed_.begin(), passed_.end());
    last_ = reader_;
    layers_.push_back(last_);
  }

  /// Takes scalings of the keys, a copy that transposes them, and one that repeats their heads, in
  /// any order: the call reads the keys in place. Returns how often each head is repeated.
  std::int64_t take_keys(const Gemm& scores, OperandWalk& keys) {
    bool transposed = scores.transpose_b;
    std::int64_t repeats = 1;
    std::size_t taken = 0;
    do {
      taken = keys.layers().size();
      keys.take_factors(scale_);
      if (!transposed) transposed = keys.take_transposition();
      if (repeats == 1) repeats = keys.take_repeats();
    } while (keys.layers().size() != taken);
    return repeats;
  }

  void take_heads_of_result() {
    if (next() != nullptr && moves_whole_rows(flow_.layer(reader_))) take();
  }

  /// Keys and values must be repeated equally often.
  bool share_heads(std::int64_t keys, std::int64_t values) {
    if (keys != values || shape_.kv_heads % keys != 0) return false;
    shape_.kv_heads /= keys;
    return true;
  }

  bool take_factor() {
    const LoweredLayer* layer = next();
    if (layer == nullptr || !ScoreScale::is_factor(*layer) || !next_reads(0)) return false;
    const auto factor = ScoreScale::factor_of(flow_, reader_);
    if (shape_.soft_cap > 0 || !masks_.scale(factor)) return false;
    scale_.times(factor);
    take();
    return true;
  }

  /// Takes c tanh(x), c a number, of scores that are not masked yet.
  bool take_cap() {
    const LoweredLayer* layer = next();
    const auto* tanh = layer == nullptr ? nullptr : only<Activation>(*layer);
    if (tanh == nullptr || tanh->kind != ActivationKind::tanh || !next_reads(0)) return false;
    if (!masks_.empty() || shape_.soft_cap > 0) return false;
    const std::size_t last = last_;
    const std::vector<std::size_t> layers = layers_;
    take();
    const LoweredLayer* behind = next();
    if (behind != nullptr && ScoreScale::is_factor(*behind) && next_reads(0)) {
      const auto factor = ScoreScale::factor_of(flow_, reader_);
      if (factor && *factor > 0) {
        shape_.soft_cap = static_cast<float>(*factor);
        scale_.times(factor);
        take();
        return true;
      }
    }
    last_ = last;
    layers_ = layers;
    return false;
  }

  /// Takes a tensor added to the scores, or a constant subtracted from them.
  bool take_sum() {
    const LoweredLayer* layer = next();
    const auto* sum = layer == nullptr ? nullptr : only<Binary>(*layer);
    if (sum == nullptr || (sum->kind != BinaryKind::add && sum->kind != BinaryKind::sub)) {
      return false;
    }
    const std::size_t other = next_reads(0) ? 1 : 0;
    const Read* read = flow_.read(reader_, layer->calls[0].operands[other]);
    if (!next_reads(1 - other) || read == nullptr) return false;
    const double sign = sum->kind == BinaryKind::sub ? -1 : 1;
    if (sign < 0 && (other == 0 || !read->constant)) return false;
    if (read->hides_nothing && sum->output() == (other == 1 ? sum->a : sum->b)) {
      take();
      return true;
    }
    const auto triangle = hiding_sum(*read, sign);
    masks_.add({.extents = other == 1 ? sum->b : sum->a,
                .scores = sum->output(),
                .constant = read->constant,
                .triangle = triangle,
                .hidden = triangle ? sign * triangle->outside : 0,
                .operand = added_tensor(*read, sign)});
    take();
    return true;
  }

  /// Takes a product with a constant that is 0 for later keys and 1 for others.
  bool take_clearing() {
    const LoweredLayer* layer = next();
    const auto* product = layer == nullptr ? nullptr : only<Binary>(*layer);
    if (product == nullptr || product->kind != BinaryKind::mul) return false;
    const std::size_t other = next_reads(0) ? 1 : 0;
    const Read* read = flow_.read(reader_, layer->calls[0].operands[other]);
    if (!next_reads(1 - other) || read == nullptr || !read->triangle) return false;
    if (read->triangle->inside != 1 || read->triangle->outside != 0) return false;
    masks_.clear(*read->triangle);
    take();
    return true;
  }

  /// Takes a Where that replaces scores by a constant: the mask has the extents of its condition.
  bool take_selection() {
    const LoweredLayer* layer = next();
    if (layer == nullptr || layer->op != "Where") return false;
    const auto& sources = layer->reads;
    const bool keeps_true = sources[1].producer == before() && sources[2].constant;
    const bool keeps_false = sources[2].producer == before() && sources[1].constant;
    if (!keeps_true && !keeps_false) return false;
    // Anything else is no mask: its exponential counts.
    const auto& replacement = sources[keeps_true ? 2 : 1].largest;
    if (replacement && *replacement > hidden_score) return false;
    std::optional<Dims> extents = sources[0].given;
    if (sources[0].producer && flow_.layer(*sources[0].producer).outputs.size() == 1) {
      extents = flow_.layer(*sources[0].producer).outputs[0].shape;
    }
    if (!extents || extents->size() < 2) return false;
    const Dims& scores = *layer->outputs[0].shape;
    if (extents->size() > scores.size()) return false;
    if (keeps_true && sources[0].hides_nothing) {
      take();
      return true;
    }
    extents->insert(extents->begin(), scores.size() - extents->size(), 1);
    masks_.add({.extents = *extents,
                .scores = scores,
                .constant = sources[0].constant,
                .triangle = hiding_choice(sources[0], keeps_true),
                .hidden = replacement.value_or(-std::numeric_limits<double>::infinity())});
    take();
    return true;
  }

  const Softmax* take_softmax() {
    const LoweredLayer* layer = next();
    const auto* softmax = layer == nullptr ? nullptr : only<Softmax>(*layer);
    if (softmax == nullptr || softmax->logarithm || softmax->input.size() < 2) return nullptr;
    if (softmax->axis + 1 != static_cast<std::int64_t>(softmax->input.size())) return nullptr;
    take();
    take_layers(cleared_rows(flow_, last_));
    return softmax;
  }

  void take_layers(const std::vector<std::size_t>& layers) {
    layers_.insert(layers_.end(), layers.begin(), layers.end());
    if (!layers.empty()) last_ = layers.back();
  }

  /// Takes a concatenation of the scores and one column more.
  std::optional<SinkColumn> take_sinks() {
    const LoweredLayer* layer = next();
    if (layer == nullptr || only<Concat>(*layer) == nullptr) return std::nullopt;
    const auto sinks = sink_column(flow_, reader_, next_reads(0) ? 1 : 0);
    if (!sinks || !next_reads(1 - sinks->part)) return std::nullopt;
    take();
    return sinks;
  }

  /// Takes the slice that leaves the column out again.
  bool take_end_of_sinks(const SinkColumn& sinks) {
    const LoweredLayer* layer = next();
    if (layer == nullptr || !leaves_out(*layer, sinks)) return false;
    take();
    return true;
  }

  /// Sets batch, heads, queries and keys from the softmax or the product: one may see the rows
  /// alone.
  bool set_extents(const Dims& softmax, const Gemm& product) {
    if (softmax.back() != product.n) return false;
    const auto& outputs = flow_.layer(product_).outputs;
    const Dims scores = outputs.size() == 1 ? outputs[0].shape.value_or(softmax) : softmax;
    if (scores.size() > softmax.size()) return fit(scores, product) || fit(softmax, product);
    return fit(softmax, product) || fit(scores, product);
  }

  /// Axes before the heads are batches.
  bool fit(const Dims& scores, const Gemm& product) {
    Dims dims = scores;
    dims.insert(dims.begin(), dims.size() < 4 ? 4 - dims.size() : 0, 1);
    const auto heads = dims.end() - 3;
    shape_.batch = element_count({dims.begin(), heads});
    shape_.heads = heads[0];
    shape_.queries = heads[1];
    shape_.keys = heads[2];
    const std::int64_t products = element_count(product.batch());
    const auto matrices = key_matrices(product);
    if (products * product.m != shape_.batch * shape_.heads * shape_.queries ||
        product.n != shape_.keys || !matrices || *matrices % shape_.batch != 0) {
      return false;
    }
    shape_.kv_heads = *matrices / shape_.batch;
    return shape_.kv_heads >= 1 && shape_.heads % shape_.kv_heads == 0;
  }

  const Gemm* take_values(const Gemm& scores) {
    const LoweredLayer* layer = next();
    const auto* values = layer == nullptr ? nullptr : only<Gemm>(*layer);
    if (values == nullptr || !next_reads(0) || values->constant_b || values->transpose_a ||
        values->transpose_b || values->m != scores.m || values->k != scores.n ||
        values->batch_b != scores.batch_b || operand_scale(layer->calls[0]) != 1) {
      return nullptr;
    }
    take();
    values_ = last_;
    return values;
  }

  const Flow& flow_;
  /// The layer of the first product.
  std::size_t product_;
  /// That of the product with the values.
  std::size_t values_ = 0;
  std::size_t last_;
  std::size_t reader_ = 0;
  /// Layers between the last one and its reader that pass on its result.
  std::vector<std::size_t> passed_;
  std::vector<std::size_t> layers_;
  ScoreScale scale_;
  ScoreMasks masks_;
  Attention shape_;
};

}  // namespace

std::vector<FoundFusion> attention_patterns(const Flow& flow) {
  std::vector<FoundFusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    for (FoundFusion& fusion : Finder(flow, index).find()) fusions.push_back(std::move(fusion));
  }
  return fusions;
}

}  // namespace benanza::fusion
