#include "core/problem/ops/attention.h"

#include <algorithm>

namespace benanza {

void Attention::write(KeyWriter& writer) const {
  writer.dims("", {batch, heads, queries, size}).dims("k", {kv_heads, keys, value_size});
  writer.real("s", scale);
  if (!mask.empty()) writer.dims("m", mask);
  if (causal) writer.word("causal");
  if (window > 0) writer.integer("w", window);
  if (soft_cap > 0) writer.real("cap", soft_cap);
  if (sink) writer.word("sink");
  if (new_keys) writer.word("new");
}

Attention Attention::read(KeyReader& reader) {
  Attention shape;
  const Dims q = reader.dims("");
  if (q.size() != 4) reader.fail("batch, heads, queries and size");
  const Dims k = reader.dims("k");
  if (k.size() != 3) reader.fail("heads of the keys, keys and size of the values");
  shape.batch = q[0];
  shape.heads = q[1];
  shape.queries = q[2];
  shape.size = q[3];
  shape.kv_heads = k[0];
  shape.keys = k[1];
  shape.value_size = k[2];
  if (shape.kv_heads < 1 || shape.heads % shape.kv_heads != 0) {
    reader.fail("heads that the heads of the keys divide");
  }
  shape.scale = reader.real("s");
  if (reader.next_is_number("m")) {
    shape.mask = reader.dims("m");
    const Dims scores{shape.batch, shape.heads, shape.queries, shape.keys};
    bool fits = shape.mask.size() == scores.size();
    for (std::size_t axis = 0; fits && axis < scores.size(); ++axis) {
      fits = shape.mask[axis] == 1 || shape.mask[axis] == scores[axis];
    }
    if (!fits) reader.fail("a mask that broadcasts to the scores");
  }
  shape.causal = reader.accept("causal");
  if (shape.causal && reader.next_is_number("w")) {
    shape.window = reader.integer("w");
    if (shape.window < 1) reader.fail("a window of one key or more");
  }
  if (reader.next_is_number("cap")) {
    shape.soft_cap = reader.real("cap");
    if (!(shape.soft_cap > 0)) reader.fail("a cap above 0");
  }
  shape.sink = reader.accept("sink");
  shape.new_keys = reader.accept("new");
  return shape;
}

std::vector<Operand> Attention::inputs() const {
  const Role kept = keys > queries && !new_keys ? Role::cache : Role::data;
  std::vector<Operand> operands{
      {.name = "q", .dims = {batch, heads, queries, size}},
      {.name = "k", .dims = {batch, kv_heads, keys, size}, .role = kept},
      {.name = "v", .dims = {batch, kv_heads, keys, value_size}, .role = kept}};
  if (!mask.empty()) operands.push_back({.name = "mask", .dims = mask});
  if (sink) operands.push_back({.name = "sinks", .dims = {heads}});
  return operands;
}

double Attention::flops() const {
  const double scores = real_count({batch, heads, queries, keys});
  return product_flops() + scores * (5 + (mask.empty() ? 0 : 1) + (soft_cap > 0 ? 2 : 0));
}

double Attention::product_flops() const {
  const double scores = real_count({batch, heads, queries, keys});
  return 2 * scores * static_cast<double>(size + value_size);
}

std::pair<std::int64_t, std::int64_t> Attention::visible_keys(std::int64_t query) const {
  if (!causal) return {0, keys};
  const std::int64_t end = query + 1 + keys - queries;
  const std::int64_t begin = window > 0 ? end - window : 0;
  return {std::clamp<std::int64_t>(begin, 0, keys), std::clamp<std::int64_t>(end, 0, keys)};
}

double Attention::visible_scores() const {
  if (!causal) return real_count({queries, keys});
  // The queries see keys - queries + 1 to keys keys, but no fewer than none. The window takes away
  // the same sum with `window` keys less.
  const auto sum = [&](std::int64_t fewer) {
    const std::int64_t most = std::max<std::int64_t>(keys - fewer, 0);
    const std::int64_t before = std::max<std::int64_t>(keys - queries - fewer, 0);
    return real_count({most - before, most + before + 1}) / 2;
  };
  return sum(0) - (window > 0 ? sum(window) : 0);
}

double Attention::least_flops() const {
  return 2 * real_count({batch, heads, size + value_size}) * visible_scores();
}

}  // namespace benanza
