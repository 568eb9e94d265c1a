#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/repetitions.h"

namespace benanza {

// A process keeps what it starts with: where its memory lies, what runs beside it. Repetitions in
// one process share that, so how much they differ says nothing about the next process. Everything
// here works on one value per process.

/// What one process measured.
struct ProcessValue {
  /// Equal numbers mean the same process, or the same place in equal runs of several suites.
  std::int64_t process = 0;
  double value = 0;
  bool operator==(const ProcessValue&) const = default;
};

/// One value per process, by process: the trimmed mean of its values. `processes` holds the process
/// of each value; empty: one process took all.
std::vector<ProcessValue> by_process(std::span<const double> values,
                                     std::span<const std::int64_t> processes);

/// A process whose value is more than this many times the median of at least three stalled, unless
/// more than a third of them did. Short calls have been seen to take once or twice their time by
/// process: that is no stall.
inline constexpr double stalled_factor = 3;

/// Without those that stalled. The others are in states of the machine that the next run may meet
/// as well: none of them is trimmed away.
std::vector<ProcessValue> without_stalled(std::vector<ProcessValue> values);

/// The mean without those that stalled; at least one value.
double mean_over_processes(const std::vector<ProcessValue>& values);

/// The value of a quantity that was measured like that: mean_over_processes(), or the trimmed mean
/// over all values if there are only one or two processes, of which none can be told to have
/// stalled.
double value_over_processes(std::span<const double> values,
                            std::span<const std::int64_t> processes);

/// A sum over calls, each measured once in every process. Its error is that of the processes' sums,
/// so that it accounts for what the calls of one process have in common. A process that lacks some
/// calls adds what it has; the deviations of a call that has fewer processes than others are scaled
/// so that its own error is right. Calls that only one process measured add an error of the size
/// that is usual among the others, as if one process were too fast or too slow in all of them.
class ProcessSum {
 public:
  /// `value`: the call's time; `values`: one per process, at least one. Those that stalled are left
  /// out.
  void add(double value, std::vector<ProcessValue> values);
  double value() const { return value_; }
  /// Processes of a call: the mean over the calls, weighted by their values, rounded. 0 if nothing
  /// was added.
  std::size_t processes() const;
  /// Empty if calls that only one process measured make up more than half of the value, so that the
  /// spread between processes is not known. Degrees of freedom: processes - 1.
  std::optional<Uncertain> estimate() const;

 private:
  struct Call {
    double value = 0;
    std::vector<ProcessValue> values;
  };
  /// The mean over the calls that several processes measured, weighted by their values.
  template <class Number>
  double mean_over_calls(const Number& number) const;

  double value_ = 0;
  std::vector<Call> calls_;
};

}  // namespace benanza
