#pragma once

#include <optional>
#include <vector>

#include "core/problem/ops/attention_gradient.h"
#include "record/logs/shared/entry.h"

namespace benanza::record {

/// The attention that a graph of cuDNN computes: by one operation (SDPA_FWD), or by two products
/// with a scale, a mask, a cap and a softmax between them, as cuDNN's frontend writes them. Empty
/// for graphs with anything else, such as dropout, pages, or a causal mask that begins at the upper
/// left of scores that are no square. One operation does not log its scale: it is taken to be
/// 1 / sqrt(size). Numbers between products that the log does not state are taken to be 1.
std::optional<Attention> attention_of(const std::vector<Entry>& operations);

/// Its gradient, by five products.
std::optional<AttentionGradient> attention_gradient_of(const std::vector<Entry>& operations);

}  // namespace benanza::record
