#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/questions/compare/changes.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// One set of results.
struct Station {
  std::string path{};
  Results results{};
  /// "onednn 2.6.3", for every backend.
  std::string versions{};
};
/// "2026-03-01 (onednn 2.6.3)".
std::string station_name(const Station& station);

/// What changed between two stations: a problem's time, or what all calls of a library have in
/// common.
struct ChangeEvent {
  std::size_t since = 0;
  std::size_t to = 0;
  Precision precision{};
  std::optional<Change> change{};
  std::optional<CommonChange> common{};

  bool is_worse() const;
  /// A change over several stations, none of which showed it by itself.
  bool is_creep() const { return to - since > 1; }
};

struct ChronicleOptions {
  double tolerance = 0.05;
  /// Every station is compared with this many before it.
  std::size_t window = 14;
  std::vector<MeasurementFilter> filters{};
  std::vector<Graph> graphs{};
};

struct Chronicle {
  /// In chronological order of the station where they show.
  std::vector<ChangeEvent> events{};
  /// compared[f][i]: by filter f, station i + 1 compared with station i.
  std::vector<std::vector<Changes>> compared{};
  /// Number of comparisons of neighbours without a change: these tests passed.
  std::size_t steady = 0;

  /// Number of creeps that show at a station.
  std::size_t creeps(Precision precision, std::size_t station) const;
  std::size_t worse() const;
};

/// Compares every station with the one before it and, for what that does not show, with the others
/// of the window, so with the first and the best of it: a change of less than the tolerance at a
/// time is found once it adds up. A change is told once: later stations are compared only with
/// those since. All comparisons share false_alarm_level: half of it is for neighbours. With
/// least_stations_of_scatter stations, what neighbours differ by is taken as the error of a ratio
/// where its repetitions claim less.
Chronicle chronicle_of(const std::vector<Station>& stations, const ChronicleOptions& options);
inline constexpr std::size_t least_stations_of_scatter = 8;

}  // namespace benanza::analysis
