#include "suites/tests/random/attention_graph.h"

#include <cmath>
#include <utility>

namespace benanza::definitions {
namespace {

class Builder {
 public:
  Builder(std::uint64_t seed, Flaw flaw)
      : flaw_(flaw),
        a_{.graph = RandomGraph(opset_of(seed), seed),
           .q = {},
           .k = {},
           .v = {},
           .masks = {},
           .result = {}} {}

  AttentionGraph build() {
    RandomGraph& g = a_.graph;
    a_.batch = g.between(1, 3);
    a_.kv_heads = g.between(1, 3);
    repeats_ = g.chance(3) ? g.between(2, 3) : 1;
    a_.heads = a_.kv_heads * repeats_;
    // Flaws show only where there are several queries.
    a_.queries = flaw_ == Flaw::none && g.chance(6) ? 1 : g.between(2, 5);
    a_.keys = a_.queries + (g.chance(2) ? g.between(1, 4) : 0);
    a_.size = g.between(2, 8);
    a_.value_size = g.chance(2) ? a_.size : g.between(2, 8);
    broadcasts_ = repeats_ > 1 && g.chance(2);
    flat_ = repeats_ == 1 && g.chance(4);
    const std::string q = factors(queries());
    const std::string k = factors(keys());
    std::string scores = g.node("MatMul", {q, k});
    if (flaw_ == Flaw::scores_read_elsewhere) g.model.output(scores);
    scores = masked(scores);
    std::string weights = softmax(scores);
    if (flaw_ == Flaw::mask_behind_softmax) {
      weights = g.node("Mul", {weights, kept_or_not()});
    }
    a_.result = g.node("MatMul", {weights, values()});
    g.model.output(finished(a_.result));
    return std::move(a_);
  }

 private:
  static int opset_of(std::uint64_t seed) {
    constexpr int opsets[] = {11, 12, 13, 17};
    return opsets[seed % 4];
  }

  Dims rows(std::int64_t heads, std::int64_t length, std::int64_t size) const {
    if (broadcasts_) return {a_.batch, a_.kv_heads, heads / a_.kv_heads, length, size};
    if (flat_) return {a_.batch * heads, length, size};
    return {a_.batch, heads, length, size};
  }

  /// `values` are batch, heads, length, size: as they are, or moved to there from rows of all
  /// heads.
  std::string heads_of(const std::vector<float>& values, std::int64_t heads, std::int64_t length,
                       std::int64_t size) {
    RandomGraph& g = a_.graph;
    if (flat_ || broadcasts_ || g.chance(2)) return g.given(rows(heads, length, size), values);
    // (b, l, h, s) of the same elements.
    std::vector<float> moved;
    const Dims dims{a_.batch, length, heads, size};
    Dims at(4, 0);
    do {
      moved.push_back(values[static_cast<std::size_t>(
          ((at[0] * heads + at[2]) * length + at[1]) * size + at[3])]);
    } while (advance(at, dims));
    std::string x = g.chance(2)
                        ? g.given(dims, moved)
                        : g.reshaped(g.given({a_.batch, length, heads * size}, moved), dims);
    return g.transposed(x, {0, 2, 1, 3});
  }

  std::string queries() {
    a_.q = a_.graph.numbers({a_.batch, a_.heads, a_.queries, a_.size});
    return heads_of(a_.q, a_.heads, a_.queries, a_.size);
  }

  /// Repeats every head, if they are to be.
  std::string repeated(const std::string& x, std::int64_t length, std::int64_t size) {
    RandomGraph& g = a_.graph;
    if (repeats_ == 1 || broadcasts_) return x;
    const std::string wide =
        g.node("Expand",
               {g.unsqueezed(x, 2), g.integers({a_.batch, a_.kv_heads, repeats_, length, size})});
    return g.reshaped(wide, {a_.batch, a_.heads, length, size});
  }

  std::string keys() {
    RandomGraph& g = a_.graph;
    a_.k = g.numbers({a_.batch, a_.kv_heads, a_.keys, a_.size});
    std::string k = heads_of(a_.k, a_.kv_heads, a_.keys, a_.size);
    if (g.chance(3)) k = factors(k);
    k = repeated(k, a_.keys, a_.size);
    Dims perm{0, 2, 1};
    if (!flat_) perm = broadcasts_ ? Dims{0, 1, 2, 4, 3} : Dims{0, 1, 3, 2};
    return g.transposed(k, perm);
  }

  std::string values() {
    a_.v = a_.graph.numbers({a_.batch, a_.kv_heads, a_.keys, a_.value_size});
    return repeated(heads_of(a_.v, a_.kv_heads, a_.keys, a_.value_size), a_.keys, a_.value_size);
  }

  /// Up to two constant factors.
  std::string factors(std::string x) {
    RandomGraph& g = a_.graph;
    for (std::int64_t left = g.below(3); left > 0; --left) {
      const float factor = g.one_of<float>({0.5F, 2, 0.7F, 1.5F, 0.125F, 3});
      const std::string c = g.chance(2) ? g.number(factor) : g.constant({1}, {factor});
      // Large scores would leave one key alone.
      const bool divides = a_.scale * static_cast<double>(factor) > 2 ? factor > 1 : g.chance(2);
      const bool second = !divides && g.chance(2);
      x = g.node(divides ? "Div" : "Mul",
                 second ? std::vector<std::string>{c, x} : std::vector<std::string>{x, c});
      a_.scale *= divides ? 1 / static_cast<double>(factor) : static_cast<double>(factor);
    }
    return x;
  }

  /// What a query sees: a triangle, or one of its neighbours.
  std::vector<bool> seen(bool& causal) {
    RandomGraph& g = a_.graph;
    const std::int64_t past = a_.keys - a_.queries;
    const std::int64_t kind = g.below(5);
    causal = a_.queries > 1 && (kind < 3 || past == 0 || kind == 4);
    const std::int64_t window = kind == 4 ? g.between(1, a_.keys) : 0;
    const std::int64_t corner = kind == 3 ? 0 : past;
    std::vector<bool> all;
    for (std::int64_t query = 0; query < a_.queries; ++query) {
      for (std::int64_t key = 0; key < a_.keys; ++key) {
        const std::int64_t last = query + corner;
        all.push_back(key <= last && (window == 0 || key > last - window));
      }
    }
    return all;
  }

  /// 1 for earlier keys, 0 for later ones, as constants.
  std::string kept_or_not() {
    std::vector<float> values;
    for (std::int64_t query = 0; query < a_.queries; ++query) {
      for (std::int64_t key = 0; key < a_.keys; ++key) {
        values.push_back(key <= query + a_.keys - a_.queries ? 1 : 0);
      }
    }
    return a_.graph.constant({a_.queries, a_.keys}, values);
  }

  Dims mask_dims(bool constant) {
    RandomGraph& g = a_.graph;
    Dims dims = broadcasts_ ? Dims{a_.batch, a_.kv_heads, repeats_, a_.queries, a_.keys}
                            : rows(a_.heads, a_.queries, a_.keys);
    for (std::size_t axis = 0; axis + 1 < dims.size(); ++axis) {
      if (g.chance(2)) dims[axis] = 1;
    }
    // Both are batches of the problem: alike for all, or different.
    if (broadcasts_ && (dims[0] == 1 || dims[1] == 1)) dims[0] = dims[1] = 1;
    if (constant && g.chance(2)) return {a_.queries, a_.keys};
    return dims;
  }

  /// `per_score`: values for queries x keys.
  std::vector<double> for_all_heads(const std::vector<double>& per_score) const {
    std::vector<double> all;
    for (std::int64_t head = 0; head < a_.batch * a_.heads; ++head) {
      all.insert(all.end(), per_score.begin(), per_score.end());
    }
    return all;
  }

  std::vector<double> broadcast(const std::vector<float>& values, const Dims& dims) const {
    const Tensor tensor{dims, {values.begin(), values.end()}};
    const Dims scores = broadcasts_ ? Dims{a_.batch, a_.kv_heads, repeats_, a_.queries, a_.keys}
                                    : rows(a_.heads, a_.queries, a_.keys);
    std::vector<double> all;
    Dims at(scores.size(), 0);
    do {
      all.push_back(tensor.at(broadcast_index(at, dims)));
    } while (advance(at, scores));
    return all;
  }

  std::string add_tensor(const std::string& scores, bool constant) {
    RandomGraph& g = a_.graph;
    const Dims dims = mask_dims(constant);
    const std::vector<float> values = g.numbers(dims);
    const std::string mask = constant ? g.constant(dims, values) : g.given(dims, values);
    a_.masks.push_back({broadcast(values, dims), false, constant});
    return g.node("Add", g.chance(2) ? std::vector{scores, mask} : std::vector{mask, scores});
  }

  /// A constant condition: stored, or computed from positions.
  std::string condition(const std::vector<bool>& all, bool causal) {
    RandomGraph& g = a_.graph;
    const Dims dims = g.chance(2) || broadcasts_ || flat_ ? Dims{a_.queries, a_.keys}
                                                          : Dims{1, 1, a_.queries, a_.keys};
    const bool whole = causal && all[static_cast<std::size_t>((a_.queries - 1) * a_.keys)];
    if (!whole || g.chance(2)) return g.truths(dims, all);
    const auto positions = [&](std::int64_t first, std::int64_t length) {
      std::vector<float> numbers;
      for (std::int64_t i = 0; i < length; ++i) numbers.push_back(static_cast<float>(first + i));
      return g.constant({length}, numbers);
    };
    const std::string rows = g.unsqueezed(positions(a_.keys - a_.queries, a_.queries), 1);
    const std::string later = g.node("Greater", {g.unsqueezed(positions(0, a_.keys), 0), rows});
    return g.node("Not", {later});
  }

  std::string hide(const std::string& scores) {
    RandomGraph& g = a_.graph;
    bool causal = false;
    const std::vector<bool> all = seen(causal);
    std::vector<double> added;
    for (const bool one : all) added.push_back(one ? 0 : -INFINITY);
    a_.masks.push_back({for_all_heads(added), causal, true});
    const float low = g.one_of<float>({-INFINITY, -3e38F, -1e9F, -65504, -1e4F});
    const std::int64_t kind = g.below(4);
    if (kind == 0) {
      std::vector<float> values;
      for (const bool one : all) values.push_back(one ? 0 : low);
      return g.node("Add", {scores, g.constant({a_.queries, a_.keys}, values)});
    }
    if (kind == 1) {
      return g.node("Where", {condition(all, causal), scores, g.number(low)});
    }
    if (kind == 2) {
      return g.node("Where", {g.node("Not", {condition(all, causal)}), g.number(low), scores});
    }
    // s b - 1e4 (1 - b); only recognized for triangles.
    if (!causal) return g.node("Where", {condition(all, causal), scores, g.number(low)});
    const std::string b = g.node("Cast", {condition(all, causal)}, {{"to", 1}});
    const std::string rest = g.node("Mul", {g.node("Sub", {g.number(1), b}), g.number(1e4F)});
    return g.node("Sub", {g.node("Mul", {scores, b}), rest});
  }

  std::string masked(std::string scores) {
    RandomGraph& g = a_.graph;
    if (flaw_ == Flaw::scale_from_data) {
      return g.node("Mul", {scores, g.given({1}, {0.7F})});
    }
    if (flaw_ == Flaw::scale_behind_data_mask) {
      return g.node("Mul", {add_tensor(scores, false), g.number(0.5F)});
    }
    if (flaw_ == Flaw::two_data_masks) return add_tensor(add_tensor(scores, false), false);
    scores = factors(scores);
    if (flaw_ == Flaw::small_replacement) {
      bool causal = false;
      const std::string low =
          g.chance(2) ? g.number(-2)
                      : g.constant({a_.queries, a_.keys}, g.numbers({a_.queries, a_.keys}));
      return g.node("Where", {g.truths({a_.queries, a_.keys}, seen(causal)), scores, low});
    }
    if (flaw_ == Flaw::cleared_but_not_hidden) {
      return g.node("Mul", {scores, kept_or_not()});
    }
    const std::int64_t kind = g.below(7);
    if (kind == 6) {
      // The factor is one of the mask, too.
      const std::string hidden = add_tensor(hide(scores), true);
      a_.scale *= 0.5;
      for (AppliedMask& mask : a_.masks) {
        for (double& value : mask.added) value *= 0.5;
      }
      return g.node("Mul", {hidden, g.number(0.5F)});
    }
    if (kind == 1) return add_tensor(scores, false);
    if (kind == 2) return hide(scores);
    if (kind == 3) return add_tensor(hide(scores), true);
    if (kind == 4) return hide(add_tensor(scores, true));
    if (kind == 5) {
      // Beside a mask that changes, only a triangle is none of the tensors.
      const std::string hidden = hide(scores);
      return a_.masks.back().causal ? add_tensor(hidden, false) : hidden;
    }
    return scores;
  }

  std::string softmax(const std::string& scores) {
    RandomGraph& g = a_.graph;
    const Dims dims = rows(a_.heads, a_.queries, a_.keys);
    const auto rank = std::ssize(dims);
    const char* op = flaw_ == Flaw::logarithm ? "LogSoftmax" : "Softmax";
    if (flaw_ == Flaw::other_axis) return g.node(op, {scores}, {{"axis", rank - 2}});
    if (g.chance(5)) {
      const Dims flat{count(dims) / a_.keys, a_.keys};
      return g.reshaped(g.node(op, {g.reshaped(scores, flat)}, {{"axis", std::int64_t{1}}}), dims);
    }
    return g.node(op, {scores}, {{"axis", g.chance(2) ? std::int64_t{-1} : rank - 1}});
  }

  std::string finished(const std::string& result) {
    RandomGraph& g = a_.graph;
    if (flat_ || broadcasts_ || g.chance(2)) return g.node("Neg", {result});
    return g.reshaped(g.transposed(result, {0, 2, 1, 3}),
                      {a_.batch, a_.queries, a_.heads * a_.value_size});
  }

  Flaw flaw_;
  AttentionGraph a_;
  std::int64_t repeats_ = 1;
  /// Queries of a group have an axis of their own, along which keys and values are broadcast.
  bool broadcasts_ = false;
  /// Batch and heads are one axis.
  bool flat_ = false;
};

}  // namespace

AttentionGraph attention_graph(std::uint64_t seed, Flaw flaw) {
  return Builder(seed, flaw).build();
}

}  // namespace benanza::definitions
