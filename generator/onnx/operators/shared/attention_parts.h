#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Heads on their way through the calls, dense: batch, heads, length, size.
struct Heads {
  Dims dims;
  Source source;
};

/// What is added to the scores before the softmax. `dims` broadcast to the scores.
struct ScoreMask {
  Dims dims;
  bool constant = false;
  Source source;
};

/// Writes attention as the calls it is made of: two products around a softmax, copies where heads
/// lie side by side in the rows, and concatenations with keys and values of earlier runs.
class AttentionParts {
 public:
  /// Heads of `source`, whose rows (of batch, length) hold them side by side; a copy, unless there
  /// is one head. `row`: length of a row, and `offset`: where in it the first head begins, for rows
  /// that hold more than these heads.
  Heads split(std::int64_t batch, std::int64_t length, std::int64_t heads, std::int64_t size,
              Source source, std::int64_t row, std::int64_t offset = 0);
  /// `past`, then `heads`, along the length; written to output `output` of the node.
  Heads append(const Heads& past, const Heads& heads, int output);
  /// The products and the softmax; `scale` is a factor that every library's product takes.
  Heads attend(const Heads& q, const Heads& k, const Heads& v, float scale,
               const std::vector<ScoreMask>& masks);
  /// Heads side by side in the rows again.
  void join(const Heads& heads);

  Source add(Call call);
  Lowered done() && { return measured(std::move(calls_)); }

 private:
  std::vector<Call> calls_;
};

}  // namespace benanza::onnx
