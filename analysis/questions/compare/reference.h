#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "analysis/input/results.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// How much the machine changed between two sets of results, told by something that a change of the
/// library cannot have touched.
struct Reference {
  /// "the anchors (arithmetic, copy)".
  std::string name{};
  /// Time after over time before, as a logarithm: what the machine may have done.
  Interval change{};
  /// It has no repetitions, and the best of many samples differs from what calls meet: it may
  /// explain a change of the calls, or show that it does not, but never makes one by itself.
  bool weak = false;

  /// The largest and the smallest change that calls may owe to the machine.
  double upper() const;
  double lower() const;
};

/// Probability of a reference's interval to miss what the machine did.
inline constexpr double reference_level = 0.01;
/// Two processes of one program differ by this much, however often each of them repeats a call.
inline constexpr double process_error = 0.005;
/// The best of many samples, which a peak is, comes back within this.
inline constexpr double peak_error = 0.01;

/// Two-sided confidence interval that misses the true value with this probability.
Interval interval_at(const Uncertain& value, double level);

/// Read from the two sets' contexts and systems.
struct Witnesses {
  /// By backend: what anchors or, if there are none, peaks tell.
  std::map<std::string, Reference> references{};
  /// Backends whose library has another version, and those whose library has the same.
  std::set<std::string> changed{};
  std::set<std::string> unchanged{};
  /// By backend: "threads 2, now 4", if the machine is another one or is used in another way. There
  /// is no reference then: nothing is the same on both sides.
  std::map<std::string, std::string> other_machine{};
};
Witnesses witnesses(const Results& before, const Results& after);

}  // namespace benanza::analysis
