#pragma once

#include <optional>
#include <vector>

#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Attention that keeps a matrix S for each head instead of keys and values. For each token, with
/// query q, key k, value v, decay g and rate b (LinearAttention of ONNX 27):
///   S := e^g S;  S := S + k (b (v - k S));  result = q S
/// without g nothing decays, and without b v itself is added. One token of each sequence: all
/// tensors are (batch, heads, size), dense. Heads of queries or keys that are fewer than matrices
/// are shared by as many of these, more heads of queries share a matrix.
struct StateStep {
  std::int64_t batch = 0;
  std::int64_t query_heads = 0;
  std::int64_t key_heads = 0;
  /// Matrices of a sequence, and heads of values.
  std::int64_t heads = 0;
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
  /// A matrix has a row for each element of a value, not for each of a key.
  bool value_rows = false;

  Source query = {};
  Source key = {};
  Source value = {};
  /// Zeros if not set.
  std::optional<Source> state = {};
  /// The logarithm: one for each head, or `key_size` of them.
  std::optional<Source> decay = {};
  bool decay_of_each_key = false;
  /// One for each of `rate_heads`: `heads`, or 1 for all.
  std::optional<Source> rate = {};
  std::int64_t rate_heads = 0;
  /// Of the result.
  float scale = 1;

  /// Extents of all matrices.
  Dims states() const;
  /// Appends the calls; the last one makes the result, another one output `state_output` of the
  /// node: the matrices behind this token. Throws Error if the heads do not fit each other.
  void add_calls(std::vector<Call>& calls, int state_output) const;
};

}  // namespace benanza::onnx
