#include "generator/onnx/caches.h"

#include <algorithm>
#include <optional>

namespace benanza::onnx {
namespace {

/// What a tensor consists of: rows that this run makes, rows that the caller hands in, or both.
enum class Origin { made, given, grown };

Origin joined(Origin a, Origin b) { return a == b ? a : Origin::grown; }

class Origins {
 public:
  explicit Origins(const std::vector<LoweredLayer>& layers) : layers_(layers) {}

  /// To be called for layers in their order.
  void add(const LoweredLayer& layer) {
    made_.emplace_back();
    for (const Call& call : layer.calls) made_.back().push_back(of_result(layer, call));
  }

  /// Of what a call of `layer`, the last one added, reads.
  Origin of(const LoweredLayer& layer, const Source& source) const {
    if (source.kind == Source::Kind::attribute) return Origin::made;
    const auto index = static_cast<std::size_t>(source.index);
    if (source.kind == Source::Kind::call) return made_.back().at(index);
    return index < layer.reads.size() ? of(layer.reads[index]) : Origin::made;
  }

 private:
  /// What is read, before free layers, which hand on their first input.
  const Read& before_free(const Read& read) const {
    const Read* found = &read;
    while (found->producer) {
      const LoweredLayer& layer = layers_[*found->producer];
      if (layer.cost != Cost::free || layer.constant || layer.reads.empty()) break;
      found = &layer.reads.front();
    }
    return *found;
  }

  Origin of(const Read& behind) const {
    const Read& read = before_free(behind);
    if (!read.producer) {
      return !read.constant && read.given ? Origin::given : Origin::made;
    }
    const LoweredLayer& maker = layers_[*read.producer];
    const std::vector<Origin>& made = made_.at(*read.producer);
    std::optional<Origin> found;
    for (std::size_t call = 0; call < made.size(); ++call) {
      if (static_cast<std::size_t>(maker.calls[call].output) != read.output) continue;
      // Calls that do not write a part of it hand their results to the last one.
      const bool is_part = maker.calls[call].writes_part || maker.calls[call].in_place;
      found = found && is_part ? joined(*found, made[call]) : made[call];
    }
    return found.value_or(Origin::made);
  }

  Origin of_result(const LoweredLayer& layer, const Call& call) const {
    if (std::holds_alternative<Copy>(call.problem.shape)) {
      const Origin moved = of(layer, call.operands.at(0));
      if (!call.in_place) return moved;
      return call.into ? joined(moved, of(layer, from_memory(call))) : Origin::grown;
    }
    const auto* const concat = std::get_if<Concat>(&call.problem.shape);
    if (concat == nullptr) return Origin::made;
    std::optional<Origin> all;
    for (std::size_t part = 0; part < concat->parts.size(); ++part) {
      if (element_count(concat->parts[part]) == 0) continue;
      const Origin one = of(layer, call.operands.at(part));
      all = all ? joined(*all, one) : one;
    }
    return all.value_or(Origin::made);
  }

  /// The input whose memory the call writes to.
  static Source from_memory(const Call& call) { return {.index = *call.into}; }

  const std::vector<LoweredLayer>& layers_;
  /// By layer and call.
  std::vector<std::vector<Origin>> made_;
};

bool has_softmax(const LoweredLayer& layer) {
  return std::ranges::any_of(layer.calls, [](const Call& call) {
    return std::holds_alternative<Softmax>(call.problem.shape);
  });
}

bool multiplies(const LoweredLayer& layer) {
  return std::ranges::any_of(layer.calls, [](const Call& call) {
    return std::holds_alternative<Gemm>(call.problem.shape) ||
           std::holds_alternative<Convolution>(call.problem.shape);
  });
}

/// By layer: whether a softmax takes what it makes, and whether it makes what a softmax gives, with
/// no product in between.
struct SoftmaxSides {
  std::vector<bool> before;
  std::vector<bool> behind;

  explicit SoftmaxSides(const std::vector<LoweredLayer>& layers)
      : before(layers.size()), behind(layers.size()) {
    for (std::size_t index = layers.size(); index-- > 0;) {
      const LoweredLayer& layer = layers[index];
      if (!has_softmax(layer) && (!before[index] || multiplies(layer))) continue;
      for (const std::size_t producer : layer.inputs) before[producer] = true;
    }
    for (std::size_t index = 0; index < layers.size(); ++index) {
      behind[index] = has_softmax(layers[index]) ||
                      (!multiplies(layers[index]) &&
                       std::ranges::any_of(layers[index].inputs,
                                           [&](std::size_t made) { return behind[made]; }));
    }
  }
};

/// Whether a product of heads, without a softmax in its layer, sees more keys than it has queries:
/// as columns of scores, or as rows of values that a softmax weights.
bool has_more_keys(const SoftmaxSides& sides, const LoweredLayer& layer, std::size_t index,
                   const Call& call) {
  const auto& product = std::get<Gemm>(call.problem.shape);
  if (has_softmax(layer) || product.batch_b.empty()) return false;
  if (sides.before[index]) return product.n > product.m;
  const Source& weights = call.operands.at(0);
  const auto read = static_cast<std::size_t>(weights.index);
  if (weights.kind != Source::Kind::input || read >= layer.reads.size()) return false;
  const auto& producer = layer.reads[read].producer;
  return producer && sides.behind[*producer] && product.k > product.m;
}

}  // namespace

void mark_caches(std::vector<LoweredLayer>& layers) {
  const SoftmaxSides sides(layers);
  Origins origins(layers);
  for (std::size_t at = 0; at < layers.size(); ++at) {
    LoweredLayer& layer = layers[at];
    origins.add(layer);
    if (layer.cost == Cost::free) continue;
    for (std::size_t index = 0; index < layer.calls.size(); ++index) {
      Call& call = layer.calls[index];
      auto* const product = std::get_if<Gemm>(&call.problem.shape);
      if (product == nullptr || product->constant_b) continue;
      const Origin origin = origins.of(layer, call.operands.at(1));
      const bool sees_more = product->cached_b || has_more_keys(sides, layer, at, call);
      const bool is_cached = origin == Origin::grown || (origin == Origin::given && sees_more);
      if (is_cached == product->cached_b) continue;
      product->cached_b = is_cached;
      layer.problems.at(index) = key(call.problem);
    }
  }
}

}  // namespace benanza::onnx
