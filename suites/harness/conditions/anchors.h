#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/conditions/observer.h"

namespace benanza::harness {

/// Calls that belong to no library and stay the same from version to version, timed over a run
/// between the variants. They tell whether the machine or a library changed between two runs.
class Anchors {
 public:
  struct Anchor {
    /// "arithmetic": for "anchor_arithmetic_seconds" in the context of the results.
    std::string name{};
    /// Runs once and returns the seconds it took.
    std::function<double()> time{};
  };

  explicit Anchors(std::vector<Anchor> anchors, Pace::Now now = Pace::steady_seconds);

  /// Times all anchors if about a hundred times what that took has passed since the last time.
  void sample_if_due();
  /// Times all anchors.
  void sample();
  /// Some samples in a row, before and after a run: a short one has a reference, too.
  void sample_block();
  /// {"anchor_<name>_seconds", "1.21e-3 1.19e-3 ..."}: samples spread evenly over the process, at
  /// most most_samples, oldest first. An anchor that threw has none.
  std::vector<std::pair<std::string, std::string>> context_entries() const;

  static constexpr std::size_t most_samples = 64;
  static constexpr int samples_per_block = 3;
  /// A sample is the fastest of this many runs: an interrupt says nothing about the machine.
  static constexpr int runs_per_sample = 3;

 private:
  struct Samples {
    Anchor anchor{};
    std::vector<double> seconds{};
  };

  std::vector<Samples> all_;
  Pace pace_;
  /// Only one in so many samples is kept; doubled whenever there are too many.
  std::size_t stride_ = 1;
  std::size_t count_ = 0;
};

/// The value of a context entry that holds `earlier` samples as well, if need be of both fewer: at
/// most Anchors::most_samples. `own`: that of this process; may be empty.
std::string with_earlier_samples(const std::vector<double>& earlier, const std::string& own);

/// On one processor: a chain of dependent integer multiplications, which shows the clock, and a
/// copy of memory by the C library. Neither depends on the instruction set that the suite was
/// compiled for.
std::vector<Anchors::Anchor> host_anchors();

/// Watches as `inner` does, and times the anchors after a variant was timed, when they are due.
class AnchoredObserver final : public Observer {
 public:
  AnchoredObserver(Observer& inner, Anchors& anchors) : inner_(inner), anchors_(anchors) {}

  void begin() override { inner_.begin(); }
  Conditions end() override {
    Conditions conditions = inner_.end();
    anchors_.sample_if_due();
    return conditions;
  }

 private:
  Observer& inner_;
  Anchors& anchors_;
};

}  // namespace benanza::harness
