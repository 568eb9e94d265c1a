#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/name.h"
#include "core/results_file/row.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// The joined repetitions of one variant on one system.
struct Measurement {
  VariantName variant{};
  Status status = Status::ok;
  /// The library's or the verifier's words, where the status is not ok.
  std::string reason{};
  /// Seconds per call, one median for each repetition; not empty where the status is ok.
  std::vector<double> repetition_seconds{};
  /// Scratch memory beyond operands and result.
  std::optional<std::int64_t> workspace_bytes{};
  /// Place among the algorithms by the library's own heuristic, 1 its choice, for this precision
  /// and layout; empty where the library has no opinion.
  std::optional<int> heuristic_rank{};
  /// Whether the call used Tensor Cores; empty where nobody knows.
  std::optional<bool> tensor_cores{};

  /// Repetitions, of repetition_seconds, whose time is marked (benanza::is_disturbed()), and by
  /// what the first of them was disturbed.
  std::size_t disturbed_repetitions = 0;
  std::string disturbance{};
  /// No other algorithm was asked for with it (benanza::is_first_choice()), in any repetition.
  bool first_choice = false;

  /// Trimmed mean of the repetitions: one that stalled does not count. Only where the status is ok.
  double seconds() const { return trimmed_mean(repetition_seconds); }
};

/// Measurements by key. Joining is equality of strings: no wildcards.
class MeasurementSet {
 public:
  /// A variant added again is a repetition. The times of ok ones are joined; a repetition that
  /// was incorrect makes the variant incorrect; otherwise one ok repetition makes it ok.
  void add(Measurement measurement);
  void add(Row row);

  /// Every variant of the problem, ordered by precision, layout, backend, algorithm, hot before
  /// cold; empty if there is none.
  std::span<const Measurement> find(std::string_view key) const;
  std::size_t size() const;
  /// Is any variant disturbed, or a first choice?
  bool any_marked() const { return any_marked_; }
  /// Of every problem, in order. They live as long as the set.
  std::vector<std::string_view> keys() const;

 private:
  std::map<std::string, std::vector<Measurement>, std::less<>> by_key_;
  bool any_marked_ = false;
};

}  // namespace benanza::analysis
