#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace benanza::harness {

/// Limits the overhead of a query: one that took longer than `free_seconds` is not repeated until a
/// hundred times that duration has passed, so that it takes about 1% of the time.
class Pace {
 public:
  using Now = std::function<double()>;
  static constexpr double free_seconds = 0.3e-3;
  static constexpr double rest = 100;

  /// `now` returns the seconds of a clock.
  explicit Pace(Now now = steady_seconds) : now_(std::move(now)) {}

  /// Returns the result of `question`, which is an optional; empty if it is not due.
  template <class Question>
  auto ask(const Question& question) -> decltype(question()) {
    const double begin = now_();
    if (begin < due_) return std::nullopt;
    auto answer = question();
    const double end = now_();
    const double cost = end - begin;
    if (cost > free_seconds) due_ = end + rest * cost;
    return answer;
  }

  static double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  Now now_;
  double due_ = 0;
};

}  // namespace benanza::harness
