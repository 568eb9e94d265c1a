#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node_view.h"

// The keys and values of earlier runs that a GroupQueryAttention reads.
namespace benanza::onnx {

/// Inputs.
inline constexpr std::size_t past_key = 3;
inline constexpr std::size_t past_value = 4;

/// Where the node keeps keys and values of earlier runs.
struct GroupedCache {
  /// Rows of the outputs with all keys and values.
  std::int64_t capacity = 0;
  /// The row at which the new ones start.
  std::int64_t start = 0;
  /// Those that any query sees, the new ones included; of a window, those of the first query's too.
  std::int64_t keys = 0;
};

/// Earlier and new tokens together, if the model states them: as a number, or as a cache with room
/// for the new ones, which is then taken to be full.
std::optional<std::int64_t> stated_total(const NodeView& node);
/// Whether the cache is taken to be full because no number says otherwise.
bool is_taken_to_be_full(const NodeView& node);
/// Rows of new keys and values; none where the node reads the cache that another layer has filled.
std::int64_t new_rows(const NodeView& node);
/// A cache that grows; or, if all tokens fit, one with room for them; or, with
/// sliding_window_cache, the last rows alone, taken to be full unless the model states otherwise.
GroupedCache cache_of(const NodeView& node);
/// Of lengths that are inputs and not known, what cache_of() takes them to be.
std::vector<TakenInput> taken_lengths(const NodeView& node, const GroupedCache& cache);
/// Keys that any query of the node sees: all of the cache, or those of a window.
std::int64_t seen_keys(const NodeView& node, const GroupedCache& cache);
/// What any way must move: queries and new keys and values, the result, and, as they are stored,
/// the rows of the cache that are seen and those that are added.
Compulsory least_traffic(const NodeView& node);

}  // namespace benanza::onnx
