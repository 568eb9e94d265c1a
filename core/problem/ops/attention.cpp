#include "core/problem/ops/attention.h"

#include <algorithm>

namespace benanza {

void Attention::map(KeyFields& fields) {
  fields.numbers("", {&batch, &heads, &queries, &size}, "batch, heads, queries and size");
  fields.numbers("k", {&kv_heads, &keys, &value_size},
                 "heads of the keys, keys and size of the values");
  fields.require(kv_heads >= 1 && heads % kv_heads == 0, "heads that the heads of the keys divide");
  fields.real("s", scale);
  if (fields.has("m", !mask.empty())) {
    fields.dims("m", mask);
    fields.require(broadcasts_to(mask, {batch, heads, queries, keys}),
                   "a mask that broadcasts to the scores");
  }
  fields.flag("causal", causal);
  if ((causal || window > 0) && fields.has("w", window > 0)) {
    fields.integer("w", window).require(window >= 1, "a window of one key or more");
  }
  if (fields.has("cap", soft_cap > 0)) {
    fields.real("cap", soft_cap).require(soft_cap > 0, "a cap above 0");
  }
  fields.flag("sink", sink).flag("new", new_keys);
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
