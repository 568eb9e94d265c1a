#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results_file/row.h"

namespace benanza::harness {

/// The state of the machine while a variant was timed.
struct Conditions {
  /// Facts for the row; unknown ones are absent.
  Facts facts{};
  /// Why the times may not be the machine's own, one phrase each: "power cap", "steal 12%". Empty
  /// if no disturbance was detected.
  std::vector<std::string> disturbances{};
  /// One of them is another program or a hypervisor, not the device's own limit.
  bool company = false;
};

/// Watches the machine while a variant is timed. Reads its state right before the first sample and
/// right after the last, never in between.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin() = 0;
  /// Returns the conditions since begin().
  virtual Conditions end() = 0;
};

/// Limits the overhead of a query: one that took longer than `free_seconds` is not repeated until
/// `rest` times that duration has passed.
class Pace {
 public:
  using Now = std::function<double()>;
  struct Limits {
    double free_seconds = 0.3e-3;
    /// 100: about 1% of the time.
    double rest = 100;
  };

  /// `now` returns the seconds of a clock.
  explicit Pace(Now now = steady_seconds) : Pace(std::move(now), Limits()) {}
  Pace(Now now, Limits limits) : now_(std::move(now)), limits_(limits) {}

  /// Returns the result of `question`, which is an optional; empty if it is not due.
  template <class Question>
  auto ask(const Question& question) -> decltype(question()) {
    const double begin = now_();
    if (begin < due_) return std::nullopt;
    auto answer = question();
    const double end = now_();
    const double cost = end - begin;
    if (cost > limits_.free_seconds) due_ = end + limits_.rest * cost;
    return answer;
  }

  static double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  Now now_;
  Limits limits_;
  double due_ = 0;
};

}  // namespace benanza::harness
