#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "record/logs/shared/call_text.h"

namespace benanza::record {

/// A recorded call as problems of the suites.
struct CallProblems {
  /// Consecutive calls; empty if no problem describes the call. `reason` then says why.
  std::vector<Problem> problems{};
  std::string reason{};
  /// The call only moves bytes.
  bool moves = false;
  std::optional<Precision> precision{};
  /// Of the operands, where the log tells it.
  std::optional<Layout> layout{};
  /// Names of variants (core/problem/name.h) that make the call with the recorded algorithm, where
  /// the log tells it and a suite may not ask for it by itself: of cuDNN. Two for data in fp32,
  /// which may have been rounded on its way.
  std::vector<std::string> variants{};
  /// Tensors with gaps between their elements are treated as dense.
  bool taken_as_dense = false;
};

/// The problem whose key `text` holds.
CallProblems problems_of_key(const CallText& text);

}  // namespace benanza::record
