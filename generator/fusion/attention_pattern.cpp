#include <algorithm>
#include <cmath>
#include <optional>

#include "generator/fusion/attention.h"

namespace benanza::fusion {
namespace {

/// The layer's only call, if it is one of `Shape`.
template <class Shape>
const Shape* only(const LoweredLayer& layer) {
  return layer.calls.size() == 1 ? std::get_if<Shape>(&layer.calls[0].problem.shape) : nullptr;
}

/// Operand `operand` of the only call of layer `index` is the result of layer `producer`.
bool reads(const Flow& flow, std::size_t index, std::size_t operand, std::size_t producer) {
  return flow.comes_from(index, flow.layer(index).calls[0].operands[operand], producer);
}

/// Frameworks replace rows without a key by zeros: Where(IsNaN(p), 0, p). The layers of that, the
/// last one last; empty if it is not there.
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

  std::optional<Fusion> find() {
    const auto* scores = only<Gemm>(flow_.layer(last_));
    if (scores == nullptr || scores->constant_b || scores->transpose_a) return std::nullopt;
    take_transposition(*scores);
    while (take_factor(*scores) || take_mask()) {
    }
    if (!take_softmax(*scores)) return std::nullopt;
    const auto* values = take_values(*scores);
    if (values == nullptr) return std::nullopt;
    shape_.size = scores->k;
    shape_.value_size = values->n;
    std::sort(layers_.begin(), layers_.end());
    return Fusion{"attention", layers_, key({shape_, {}})};
  }

 private:
  /// The layer that reads what the last one makes, if that is all it does with it.
  const LoweredLayer* next() {
    const auto reader = flow_.reader(last_);
    if (!reader) return nullptr;
    const LoweredLayer& layer = flow_.layer(*reader);
    if (layer.calls.size() != 1 || layer.outputs.size() != 1) return nullptr;
    reader_ = *reader;
    return &layer;
  }

  void take() {
    last_ = reader_;
    layers_.push_back(last_);
  }

  /// Keys put in columns by a copy: the one call reads them where they are.
  void take_transposition(const Gemm& scores) {
    const auto& sources = flow_.layer(last_).reads;
    if (scores.transpose_b || sources.size() < 2 || !sources[1].producer) return;
    const LoweredLayer& copy = flow_.layer(*sources[1].producer);
    if (only<Copy>(copy) == nullptr || copy.op != "Transpose" || copy.uses != 1) return;
    layers_.push_back(*sources[1].producer);
  }

  /// A constant factor. Its value is of no matter for the time: the usual one stands for it.
  bool take_factor(const Gemm& scores) {
    const LoweredLayer* layer = next();
    if (layer == nullptr || shape_.scale != 1) return false;
    const auto* product = only<Binary>(*layer);
    if (product == nullptr || !product->constant_b || element_count(product->b) != 1 ||
        (product->kind != BinaryKind::mul && product->kind != BinaryKind::div) ||
        !reads(flow_, reader_, 0, last_)) {
      return false;
    }
    shape_.scale = 1 / std::sqrt(static_cast<float>(scores.k));
    take();
    return true;
  }

  bool take_mask() {
    const LoweredLayer* layer = next();
    const auto* sum = layer == nullptr ? nullptr : only<Binary>(*layer);
    if (sum == nullptr || sum->kind != BinaryKind::add || !mask_.empty() ||
        !reads(flow_, reader_, 0, last_)) {
      return false;
    }
    mask_ = sum->b;
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

  /// The scores as batch, heads, queries, keys; axes before the heads are batches.
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
    if (mask_.empty()) return true;
    Dims mask = mask_;
    mask.insert(mask.begin(), dims.size() - mask.size(), 1);
    const std::int64_t batches = element_count({mask.begin(), mask.end() - 3});
    if (batches != 1 && batches != shape_.batch) return false;
    shape_.mask = {batches, mask.end()[-3], mask.end()[-2], mask.end()[-1]};
    return true;
  }

  const Gemm* take_values(const Gemm& scores) {
    const LoweredLayer* layer = next();
    const auto* values = layer == nullptr ? nullptr : only<Gemm>(*layer);
    if (values == nullptr || !reads(flow_, reader_, 0, last_) || values->constant_b ||
        values->transpose_a || values->transpose_b || values->m != scores.m ||
        values->k != scores.n || values->batch_b != scores.batch_b) {
      return nullptr;
    }
    take();
    return values;
  }

  const Flow& flow_;
  std::size_t last_;
  std::size_t reader_ = 0;
  std::vector<std::size_t> layers_;
  Dims mask_;
  Attention shape_;
};

}  // namespace

std::vector<Fusion> attention_patterns(const Flow& flow) {
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    if (auto fusion = Finder(flow, index).find()) fusions.push_back(std::move(*fusion));
  }
  return fusions;
}

}  // namespace benanza::fusion
