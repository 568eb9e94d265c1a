#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza::analysis {

class Matter;
struct PlanRun;

/// A time that is to fall.
struct Baseline {
  /// "PyTorch's latency".
  std::string name{};
  double seconds = 0;
  /// 95%; empty: not known.
  std::optional<Interval> spread{};
};

/// How sure a gain is.
enum class Certainty {
  timed,      // the change was made, and its time measured
  measured,   // a sum of calls that were timed
  estimated,  // from a profile, whose profiler changes what it measures
  at_most     // an upper limit: an unknown part of it can be gained
};
std::string_view to_string(Certainty certainty);

/// Whose time a finding shortens.
enum class Affects {
  run,    // the whole run
  device  // what the device computes: of a GPU that waits for the host, nobody sees it
};

/// What to do about it: for the framework of the profile, or for a program that calls the libraries
/// itself.
struct Remedy {
  /// One sentence.
  std::string action{};
  /// A line to run, or to write in the program; may be empty.
  std::string command{};
};

/// Something that costs time, and what to do about it.
struct Finding {
  /// A few words, equal for findings of one kind: "launch gaps".
  std::string cause{};
  /// What is lost, and how that is known: one sentence.
  std::string what{};
  /// Indices into the graph's layers, ascending.
  std::vector<std::size_t> layers{};
  /// Seconds of one run, by this change alone; empty: not known.
  std::optional<double> gain_seconds{};
  /// 95% interval of the gain; empty: not known.
  std::optional<Interval> interval{};
  Certainty certainty = Certainty::measured;
  Affects affects = Affects::run;
  /// Of what the gain is a part; empty: Matter::reference().
  std::optional<Baseline> reference{};
  /// The reference cannot fall below it: the bound, or the time that was measured with the change.
  std::optional<double> leads_to_seconds{};
  /// The run of a plan that makes the change; null without one. It bears the gain out as far as it
  /// takes less than the reference.
  const PlanRun* plan = nullptr;
  Remedy remedy{};
};

/// A kind of findings. Every .cpp file of kinds/ defines one, as `FindingKind <file name>_kind()`;
/// it needs no other registration. Pure: it says what it finds; what is within the noise, or not
/// borne out, is left out later (judge.h).
struct FindingKind {
  std::vector<Finding> (*find)(const Matter& matter) = nullptr;
};

/// All kinds, in the order of their file names. Generated from the files of kinds/.
std::vector<FindingKind> finding_kinds();

}  // namespace benanza::analysis
