#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

/// What exporters write around the softmax of attention.
namespace benanza::fusion {

/// The constant factors of attention's scores, wherever they are applied, as one.
class ScoreScale {
 public:
  /// True if the layer's only call multiplies operand 0 by a constant number or divides it by one.
  static bool is_factor(const LoweredLayer& layer);
  /// The number by which such a layer multiplies; empty if its value is not in the model.
  static std::optional<double> factor_of(const Flow& flow, std::size_t index);

  /// Takes a factor; empty if unknown.
  void times(std::optional<double> factor);
  /// The factor for rows of `size` elements. 1 / sqrt(size) if it is unknown, because its value
  /// does not affect the time, or equal to that up to the rounding of two factors to bf16, so that
  /// equal layers share a problem however their factors were rounded.
  float of(std::int64_t size) const;
  bool is_known() const { return known_; }

 private:
  double product_ = 1;
  bool known_ = true;
};

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
