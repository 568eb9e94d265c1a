#include <algorithm>
#include <cmath>
#include <optional>

#include "generator/fusion/attention.h"
#include "generator/fusion/rows.h"

namespace benanza::fusion {
namespace {

/// The layer's only call, if its problem is a `Shape`.
template <class Shape>
const Shape* only(const LoweredLayer& layer) {
  return layer.calls.size() == 1 ? std::get_if<Shape>(&layer.calls[0].problem.shape) : nullptr;
}

/// The value of a factor does not affect the time, so the usual one is used.
float usual_scale(const Gemm& scores) { return 1 / std::sqrt(static_cast<float>(scores.k)); }

/// True if operand `operand` of the only call of layer `index` is the result of layer `producer`.
bool reads(const Flow& flow, std::size_t index, std::size_t operand, std::size_t producer) {
  return flow.comes_from(index, flow.layer(index).calls[0].operands[operand], producer);
}

/// Frameworks replace rows without any key by zeros: Where(IsNaN(p), 0, p). Returns these two
/// layers in order; empty if they are absent.
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

class Finder {
 public:
  Finder(const Flow& flow, std::size_t product) : flow_(flow), last_(product), layers_{product} {}

  /// The attention call alone, and with the surrounding copies that group heads, because the call
  /// can read and write them in place.
  std::vector<Fusion> find() {
    const auto* scores = only<Gemm>(flow_.layer(last_));
    if (scores == nullptr || scores->constant_b || scores->transpose_a) return {};
    Place queries{last_, 0};
    take_factor_before(queries);
    Place keys{last_, 1};
    const std::int64_t key_repeats = take_keys(*scores, keys);
    while (take_factor(*scores) || take_mask() || take_selection()) {
    }
    if (!take_softmax(*scores)) return {};
    const auto* product = take_values(*scores);
    if (product == nullptr) return {};
    Place values{last_, 1};
    if (!share_heads(key_repeats, take_repeats(values))) return {};
    if (scaled_before_) shape_.scale = usual_scale(*scores);
    shape_.size = scores->k;
    shape_.value_size = product->n;
    std::vector<Fusion> fusions{as_fusion()};
    for (Place* place : {&queries, &keys, &values}) take_heads(*place);
    take_heads_of_result();
    const std::vector<Rows> rows{{queries.reader, queries.operand, shape_.size},
                                 {keys.reader, keys.operand, shape_.size},
                                 {values.reader, values.operand, shape_.value_size}};
    for (const std::size_t layer : layers_that_pick(flow_, rows)) layers_.push_back(layer);
    if (fusions[0].layers.size() != layers_.size()) fusions.push_back(as_fusion());
    return fusions;
  }

 private:
  /// Input `operand` of layer `reader`.
  struct Place {
    std::size_t reader;
    std::size_t operand;
  };

  /// A tensor added to the scores: its extents and theirs, in the same rank.
  struct Mask {
    Dims extents;
    Dims scores;
    bool constant = false;
  };

  Fusion as_fusion() const {
    Fusion fusion{"attention", layers_, key({shape_, {}})};
    std::sort(fusion.layers.begin(), fusion.layers.end());
    return fusion;
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
    reader_ = *reader;
    return &layer;
  }

  /// True if operand `operand` of the next layer's call is the last layer's result.
  bool next_reads(std::size_t operand) const {
    return reads(flow_, reader_, operand, passed_.empty() ? last_ : passed_.back());
  }

  void take() {
    layers_.insert(layers_.end(), passed_.begin(), passed_.end());
    last_ = reader_;
    layers_.push_back(last_);
  }

  /// The layer that makes what is read at `place`, if it has no other reader; layers that pass its
  /// result on are added to `passed`.
  std::optional<std::size_t> maker(const Place& place, std::vector<std::size_t>& passed) const {
    const auto& sources = flow_.layer(place.reader).reads;
    auto made = place.operand < sources.size() ? sources[place.operand].producer : std::nullopt;
    while (made && flow_.layer(*made).uses == 1 && flow_.passes_on(*made)) {
      passed.push_back(*made);
      made = flow_.layer(*made).reads[0].producer;
    }
    if (!made || flow_.layer(*made).uses != 1) return std::nullopt;
    return made;
  }

  /// Takes layer `index` and the layers that pass its result on; moves `place` to the input of
  /// `index`.
  void take_before(std::size_t index, const std::vector<std::size_t>& passed, Place& place) {
    layers_.push_back(index);
    layers_.insert(layers_.end(), passed.begin(), passed.end());
    const auto& sources = flow_.layer(index).reads;
    place = {index, sources[0].constant && sources.size() > 1 ? std::size_t{1} : 0};
  }

  bool is_copy(std::optional<std::size_t> index, std::string_view op) const {
    return index && flow_.layer(*index).op == op && only<Copy>(flow_.layer(*index)) != nullptr;
  }

  /// Takes a scaling of queries or keys by a constant, a part of the scores' factor.
  void take_factor_before(Place& place) {
    std::vector<std::size_t> passed;
    const auto made = maker(place, passed);
    const auto* product = made ? only<Binary>(flow_.layer(*made)) : nullptr;
    if (product == nullptr || !product->constant_b || element_count(product->b) != 1 ||
        (product->kind != BinaryKind::mul && product->kind != BinaryKind::div)) {
      return;
    }
    scaled_before_ = true;
    take_before(*made, passed, place);
  }

  /// Takes a copy that transposes the keys, and a scaling before or after it: the call reads the
  /// keys in place. Returns how often each head of the keys is repeated.
  std::int64_t take_keys(const Gemm& scores, Place& keys) {
    take_factor_before(keys);
    std::vector<std::size_t> passed;
    const auto made = maker(keys, passed);
    if (is_copy(made, "Transpose") && !scores.transpose_b) {
      take_before(*made, passed, keys);
      take_factor_before(keys);
    }
    return take_repeats(keys);
  }

  /// Takes an Expand between two views that repeats heads of keys or values for several heads of
  /// queries: batch x heads x 1 x ... to batch x heads x repeats x .... Returns the repeats, or 1.
  std::int64_t take_repeats(Place& place) {
    std::vector<std::size_t> passed;
    const auto made = maker(place, passed);
    if (!is_copy(made, "Expand")) return 1;
    const LoweredLayer& expand = flow_.layer(*made);
    const auto from = expand.reads[0].producer;
    if (!from || flow_.layer(*from).outputs.size() != 1) return 1;
    const auto& before = flow_.layer(*from).outputs[0].shape;
    const auto& after = expand.outputs[0].shape;
    if (!before || !after || after->size() != 5 || before->size() != 5) return 1;
    Dims expected = *after;
    expected[2] = 1;
    if (*before != expected) return 1;
    take_before(*made, passed, place);
    return (*after)[2];
  }

  void take_heads(Place& place) {
    std::vector<std::size_t> passed;
    const auto made = maker(place, passed);
    if (made && moves_whole_rows(flow_.layer(*made))) take_before(*made, passed, place);
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

  bool take_factor(const Gemm& scores) {
    const LoweredLayer* layer = next();
    if (layer == nullptr || shape_.scale != 1) return false;
    const auto* product = only<Binary>(*layer);
    if (product == nullptr || !product->constant_b || element_count(product->b) != 1 ||
        (product->kind != BinaryKind::mul && product->kind != BinaryKind::div) || !next_reads(0)) {
      return false;
    }
    shape_.scale = usual_scale(scores);
    take();
    return true;
  }

  /// Takes a tensor added to the scores; a second one if both are constants, which can be summed.
  bool take_mask() {
    const LoweredLayer* layer = next();
    const auto* sum = layer == nullptr ? nullptr : only<Binary>(*layer);
    if (sum == nullptr || sum->kind != BinaryKind::add) return false;
    const std::size_t other = next_reads(0) ? 1 : 0;
    if (!next_reads(1 - other)) return false;
    const bool constant = flow_.is_constant(reader_, layer->calls[0].operands[other]);
    if (!masks_.empty() && !(constant && masks_.back().constant)) return false;
    masks_.push_back({other == 1 ? sum->b : sum->a, sum->output(), constant});
    take();
    return true;
  }

  /// Takes a Where that replaces scores by a constant: the mask has the extents of its condition.
  /// As a further mask only if that one and those before are constants, which make one together.
  bool take_selection() {
    const auto reader = flow_.reader(last_);
    if (!reader || flow_.layer(*reader).op != "Where") return false;
    const auto& sources = flow_.layer(*reader).reads;
    const bool constant = sources[0].constant;
    if (!masks_.empty() && !(constant && masks_.back().constant)) return false;
    const bool keeps_first = sources[1].producer == last_ && sources[2].constant;
    const bool keeps_second = sources[2].producer == last_ && sources[1].constant;
    if (!keeps_first && !keeps_second) return false;
    // Anything else is no mask: its exponential counts.
    constexpr double hidden = -1000;
    const auto& replacement = sources[keeps_first ? 2 : 1].value;
    if (replacement && *replacement > hidden) return false;
    std::optional<Dims> extents = sources[0].given;
    if (sources[0].producer && flow_.layer(*sources[0].producer).outputs.size() == 1) {
      extents = flow_.layer(*sources[0].producer).outputs[0].shape;
    }
    if (!extents || extents->size() < 2) return false;
    const Dims& scores = *flow_.layer(*reader).outputs[0].shape;
    if (extents->size() > scores.size()) return false;
    extents->insert(extents->begin(), scores.size() - extents->size(), 1);
    masks_.push_back({*extents, scores, constant});
    passed_.clear();
    reader_ = *reader;
    take();
    return true;
  }

  bool take_softmax(const Gemm& scores) {
    const LoweredLayer* layer = next();
    const auto* softmax = layer == nullptr ? nullptr : only<Softmax>(*layer);
    if (softmax == nullptr || softmax->logarithm || softmax->input.size() < 2) return false;
    const auto rank = static_cast<std::int64_t>(softmax->input.size());
    if (softmax->axis != rank - 1 || !set_extents(softmax->input, scores)) return false;
    take();
    for (const std::size_t cleared : cleared_rows(flow_, last_)) {
      last_ = cleared;
      layers_.push_back(cleared);
    }
    return true;
  }

  /// Sets batch, heads, queries and keys from the scores; axes before the heads are batches.
  bool set_extents(const Dims& scores, const Gemm& product) {
    Dims dims = scores;
    dims.insert(dims.begin(), dims.size() < 4 ? 4 - dims.size() : 0, 1);
    const auto heads = dims.end() - 3;
    shape_.batch = element_count({dims.begin(), heads});
    shape_.heads = heads[0];
    shape_.queries = heads[1];
    shape_.keys = heads[2];
    const std::int64_t products = element_count(product.batch());
    if (products * product.m != shape_.batch * shape_.heads * shape_.queries ||
        product.n != shape_.keys || products % shape_.batch != 0 ||
        element_count(product.batch_b) != products) {
      return false;
    }
    shape_.kv_heads = products / shape_.batch;
    if (shape_.kv_heads < 1 || shape_.heads % shape_.kv_heads != 0) return false;
    for (const Mask& mask : masks_) {
      const auto extents = mask_extents(mask);
      if (!extents) return false;
      shape_.mask.resize(extents->size(), 1);
      for (std::size_t axis = 0; axis < extents->size(); ++axis) {
        shape_.mask[axis] = std::max(shape_.mask[axis], (*extents)[axis]);
      }
    }
    return true;
  }

  /// The mask as batch, heads, queries, keys; a constant mask may be repeated for every image.
  std::optional<Dims> mask_extents(const Mask& mask) const {
    const Dims scores{shape_.batch, shape_.heads, shape_.queries, shape_.keys};
    if (auto extents = refitted(mask.extents, mask.scores, scores)) return extents;
    if (!mask.constant || mask.scores.size() < scores.size()) return std::nullopt;
    Dims repeated = mask.extents;
    std::copy(mask.scores.begin(), mask.scores.end() - 3, repeated.begin());
    return refitted(repeated, mask.scores, scores);
  }

  const Gemm* take_values(const Gemm& scores) {
    const LoweredLayer* layer = next();
    const auto* values = layer == nullptr ? nullptr : only<Gemm>(*layer);
    if (values == nullptr || !next_reads(0) || values->constant_b || values->transpose_a ||
        values->transpose_b || values->m != scores.m || values->k != scores.n ||
        values->batch_b != scores.batch_b) {
      return nullptr;
    }
    take();
    return values;
  }

  const Flow& flow_;
  std::size_t last_;
  std::size_t reader_ = 0;
  /// Layers between the last one and its reader that pass on its result.
  std::vector<std::size_t> passed_;
  bool scaled_before_ = false;
  std::vector<std::size_t> layers_;
  std::vector<Mask> masks_;
  Attention shape_;
};

}  // namespace

std::vector<Fusion> attention_patterns(const Flow& flow) {
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    for (Fusion& fusion : Finder(flow, index).find()) fusions.push_back(std::move(fusion));
  }
  return fusions;
}

}  // namespace benanza::fusion
