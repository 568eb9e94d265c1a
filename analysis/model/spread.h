#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/input/measurement.h"
#include "core/statistics/process_sum.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// How far a time may be off.
struct Spread {
  /// 95% confidence interval; empty if it is not known.
  std::optional<Interval> interval{};
  /// Of how many processes it is (ProcessSum::processes()). 1: within one process; the time of
  /// another process may be farther away. Then there is no interval if a measurement has fewer than
  /// least_repetitions.
  std::size_t processes = 0;
};

/// How far the times of a call in two processes of one program usually are apart: the standard
/// deviation of their logarithms in one process, and its degrees of freedom.
struct ProcessSpread {
  double deviation = 0;
  double degrees = 0;
};
/// Where nothing better is known. Short calls of one program differ by up to 20% from process to
/// process on a processor, long ones and those of a GPU by a percent or two; the few degrees of
/// freedom (a ratio of two such times has three) allow for that.
inline constexpr ProcessSpread unknown_process_spread{.deviation = 0.05, .degrees = 1.5};

/// How far two runs of one program on one machine are apart that nothing tells from each other: the
/// relative standard deviation of a run's times beyond what its own processes show.
struct RunSpread {
  double quiet = 0.005;
  /// More for times that all had company: the neighbours of the next run are others. Ten runs of
  /// 112 calls on two processors at a load of 8 to 9 differ by 0.146 beyond their own errors, where
  /// at least four fifths of the times had company.
  double with_company = 0.15;
  /// More for times of a virtual machine, whose company is not all seen: the logarithms of ten
  /// bounds of one program on two processors, with nothing else running, deviated by 0.080.
  double of_virtual_machine = 0.08;
};
inline constexpr RunSpread run_spread{};
/// What the call's conditions add to RunSpread::quiet. Calls of one run share it.
double run_deviation(const Measurement& call);

/// From the calls that several processes measured, or, if there are fewer than least_moderated of
/// them, from how far the times of the same calls in two sets are apart, `log_ratios`, most of
/// which are not expected to have changed but for what they have in common. If those are too few,
/// too, unknown_process_spread.
ProcessSpread process_spread(std::span<const Measurement* const> calls,
                             std::span<const double> log_ratios);

/// The logarithm of a call's time in any run. If several processes measured it, its error is theirs
/// and run_deviation() (what quiet runs differ by is far below any tolerance). If one did,
/// it is `usual` and that of the repetitions; then empty below least_repetitions.
std::optional<Uncertain> log_time_of(const Measurement& call, const ProcessSpread& usual);

/// The estimate with a further deviation, a known one, that is independent of its error.
Uncertain with_deviation(const Uncertain& estimate, double deviation);

/// 95% confidence interval of a time, on a logarithmic scale: a time is never below zero, and noise
/// multiplies it. For small errors the same as Uncertain::interval().
Interval time_interval(const Uncertain& time);

/// A sum of calls' times. If processes tell its error, that of run_spread is in it.
class CallSum {
 public:
  void add(const Measurement& call);
  Spread spread() const;

 private:
  double seconds_ = 0;
  /// run_deviation() of each call times its seconds.
  double deviation_seconds_ = 0;
  ProcessSum over_processes_;
  RepetitionSum within_one_;
};

}  // namespace benanza::analysis
