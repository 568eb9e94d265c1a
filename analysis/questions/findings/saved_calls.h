#pragma once

#include <optional>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/layer_time.h"
#include "core/statistics/process_sum.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// The calls that did some work before a change, and those that do it after.
class SavedCalls {
 public:
  void add_before(const Measurement& call);
  void add_after(const Measurement& call);
  /// All calls of a layer. Of one after the change, also what its choice may owe to chance.
  void add_before(const LayerTime& time);
  void add_after(const LayerTime& time);

  double before_seconds() const { return before_.seconds; }
  double after_seconds() const { return after_.seconds; }
  double gain_seconds() const { return before_.seconds - after_.seconds; }
  /// 95%, from the processes, or the repetitions of one process. What all calls of a run have in
  /// common scales the gain only. Empty if it is not known.
  std::optional<Interval> interval() const;

 private:
  struct Side {
    double seconds = 0;
    double luck_seconds = 0;
    double deviation_seconds = 0;
    ProcessSum over_processes{};
    RepetitionSum within_one{};

    void add(const Measurement& call);
    std::optional<Uncertain> estimate() const;
  };
  Side before_;
  Side after_;
};

/// The interval of a difference of two times with these intervals; empty if one is not known.
std::optional<Interval> difference_interval(double before, const std::optional<Interval>& of_before,
                                            double after, const std::optional<Interval>& of_after);

}  // namespace benanza::analysis
