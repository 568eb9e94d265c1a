#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/questions/compare/reference.h"

namespace benanza::analysis {

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

/// "all 60 calls of cudnn take 2.000 times as long ...": what happened, and what tells so.
std::string common_text(const CommonChange& common);

}  // namespace benanza::analysis
