#pragma once

#include <optional>

namespace benanza::record {

/// When to record: after a delay, for a duration, and, if controlled by signals, between each start
/// and stop. In seconds since the run's start.
class Window {
 public:
  Window() = default;
  Window(double delay, std::optional<double> duration, bool by_signal)
      : delay_(delay), duration_(duration), by_signal_(by_signal), is_started_(!by_signal) {}

  bool is_open(double seconds) const {
    return is_started_ && seconds >= delay_ && (!duration_ || seconds < delay_ + *duration_);
  }
  /// Returns false if not controlled by signals.
  bool start() {
    if (by_signal_) is_started_ = true;
    return by_signal_;
  }
  bool stop() {
    if (by_signal_) is_started_ = false;
    return by_signal_;
  }

 private:
  double delay_ = 0;
  std::optional<double> duration_{};
  bool by_signal_ = false;
  bool is_started_ = true;
};

}  // namespace benanza::record
