#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr std::size_t least_calls_of_drift = 20;
/// Of the calls, this many agree on what they have in common, or they have nothing in common.
inline constexpr double agreeing_share = 0.75;

/// What the calls of one backend have in common. none: nothing, or nothing worth telling.
/// machine: they changed as the reference did. slower, faster: the reference did not change as they
/// did. cannot_tell: they changed, and nothing tells whether the library or the machine did.
enum class CommonVerdict { none, machine, cannot_tell, slower, faster };
std::string_view to_string(CommonVerdict verdict);

struct CommonChange {
  std::string backend{};
  /// Calls with a time in both sets, and those that changed as the median did.
  std::size_t calls = 0;
  std::size_t agreeing = 0;
  /// Time after over time before of those that agree, as a logarithm: the trimmed mean, and its
  /// interval at a tenth of the table's level.
  double change = 0;
  Interval interval{};
  std::optional<Reference> reference{};
  /// If there is no reference, why: "threads 2, now 4"; empty: there is none in the results.
  std::string other_machine{};
  /// The library says that its version is the same on both sides. It may have been built anew.
  bool same_version = false;
  CommonVerdict verdict = CommonVerdict::none;
  /// It is an event of its own: `slower` and `faster`, and `cannot_tell` beyond the tolerance.
  bool listed = false;

  double ratio() const { return std::exp(change); }
  bool is_common() const {
    return static_cast<double>(agreeing) >= agreeing_share * static_cast<double>(calls);
  }
  /// For --fail.
  bool is_worse() const { return listed && change > 0; }
};

/// The change of one call.
struct CallChange {
  /// Logarithm of time after over time before.
  double change = 0;
  /// Its standard error; empty if unknown.
  std::optional<double> error{};
  /// By how much more the times of both sides differ from other runs', because of their conditions:
  /// a standard deviation, shared by all calls.
  double run_deviation = 0;
};

/// Of at least least_calls_of_drift calls; empty if there are fewer. Without a verdict. The
/// interval includes the calls' mean `run_deviation`.
std::optional<CommonChange> common_change(const std::string& backend,
                                          std::span<const CallChange> calls, double tolerance,
                                          double level);
/// Sets `verdict` and `listed`. Many calls together show a change more sharply than one: a common
/// change counts from half the tolerance on.
void judge_common(CommonChange& common, double tolerance);

/// Null if there is none of the backend.
const CommonChange* common_of(const std::vector<CommonChange>& all, std::string_view backend);

/// "all 60 calls of cudnn take 2.000 times as long ...": what happened, and what tells so.
std::string common_text(const CommonChange& common);

}  // namespace benanza::analysis
