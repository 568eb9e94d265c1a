#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

/// What exporters write around the softmax of attention.
namespace benanza::fusion {

/// Frameworks replace rows without any key by zeros: Where(IsNaN(p), 0, p). Returns these two
/// layers in order; empty if they are absent.
std::vector<std::size_t> cleared_rows(const Flow& flow, std::size_t softmax);

/// The largest element of each row of layer `scores`, and the difference to it, which no softmax
/// sees. Returns these two layers in order; empty if they are absent.
std::vector<std::size_t> less_their_largest(const Flow& flow, std::size_t scores);

/// One more score of each query, the same for all queries of a head.
struct SinkColumn {
  /// Which part of the concatenation it is: 0 or 1.
  std::size_t part = 1;
  std::int64_t heads = 0;
  /// One element for each head; empty if it is no tensor of the model.
  std::optional<FlowOperand> tensor = {};
};

/// Part `part` of layer `concat`, which concatenates two tensors of batch, heads, queries, keys.
/// Empty if it is anything else.
std::optional<SinkColumn> sink_column(const Flow& flow, std::size_t concat, std::size_t part);

/// Whether the layer is a slice of all columns but that one.
bool leaves_out(const LoweredLayer& layer, const SinkColumn& sinks);

}  // namespace benanza::fusion
