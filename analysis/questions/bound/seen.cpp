// The bound with the kernels that a framework's profile shows.

#include "analysis/questions/bound/seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/model/fusion.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

/// Seconds of the cheapest measured calls for `layers` alone; empty if one of them has no call.
std::optional<double> measured_seconds(const std::vector<std::size_t>& layers,
                                       const std::vector<LayerTime>& alone,
                                       const std::vector<Piece>& fusions, Movement movement) {
  std::vector<LayerTime> times(layers.size());
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    times[i] = alone[layers[i]];
    place[layers[i]] = i;
  }
  std::vector<Piece> pieces;
  std::vector<bool> is_done(layers.size());
  for (const Piece& fusion : fusions) {
    Piece piece{.seconds = fusion.seconds};
    for (const std::size_t layer : fusion.layers) {
      if (const auto found = place.find(layer); found != place.end()) {
        piece.layers.push_back(found->second);
      }
    }
    if (piece.layers.empty() || piece.layers.size() != fusion.layers.size()) continue;
    pieces.push_back(std::move(piece));
  }
  const Cover cover = cover_of(times, pieces, movement);
  for (const std::size_t piece : cover.pieces) {
    for (const std::size_t layer : pieces[piece].layers) is_done[layer] = true;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!is_done[i] && lacks_time(times[i], movement)) return std::nullopt;
  }
  return cover.seconds;
}

double gain(const SeenWin& win) {
  if (!win.measured_seconds) return std::numeric_limits<double>::infinity();
  return *win.measured_seconds - win.seconds;
}

std::string layers_text(const Graph& graph, const std::vector<std::size_t>& layers) {
  const std::string first = shortened(graph.layers[layers.front()].name, name_width);
  if (layers.size() == 1) return first;
  return fmt::format("{} ... {} ({})", first,
                     shortened(graph.layers[layers.back()].name, name_width), layers.size());
}

std::string kernels_text(const std::vector<std::string>& kernels) {
  return kernels.size() == 1 ? kernels.front() : enumerated(kernels, 2);
}

void require_times(const Profile& profile) {
  if (profile.launched_on.empty()) return;
  throw Error(
      fmt::format("--seen {}: the times of its operators are those of launching them on {}, not "
                  "what they took; "
                  "leave it out",
                  profile.path.string(), profile.launched_on));
}

void require_same_threads(const Profile& profile, const Results& results) {
  for (const auto& [backend, system] : results.systems) {
    const auto threads = system.find("threads");
    if (profile.is_of_gpu() || !profile.threads || threads == system.end()) continue;
    if (std::to_string(*profile.threads) == threads->second) continue;
    throw Error(fmt::format(
        "--seen {}: profile of a run with {} threads, and the results ({}) are of {}; "
        "profile with --threads {}, or leave it out",
        profile.path.string(), *profile.threads, backend, threads->second, threads->second));
  }
}

/// "; of these, 12 are known by name only: the profile states no shapes".
std::string left_text(const Seen& seen) {
  if (seen.layers_without_shapes == 0) return "";
  return fmt::format("; {} of these layers are known by name only, as the profile states no shapes",
                     seen.layers_without_shapes);
}

ordered_json seen_json(const BoundReport& report) {
  if (!report.seen) return nullptr;
  ordered_json profiles = ordered_json::array();
  for (const SeenProfile& profile : report.seen->profiles) {
    profiles.push_back(
        {{"path", profile.path},
         {"framework", profile.framework},
         {"operators", profile.seen.operators},
         {"aligned_operators", profile.seen.aligned_operators},
         {"seconds", profile.seen.seconds},
         {"aligned_seconds", profile.seen.aligned_seconds},
         {"layers_left", profile.seen.layers_left},
         {"layers_without_shapes", profile.seen.layers_without_shapes},
         {"whole_seconds", profile.seen.whole_seconds},
         {"lacks", profile.seen.lacks ? ordered_json(report.graph->layers[*profile.seen.lacks].name)
                                      : ordered_json()}});
  }
  ordered_json wins = ordered_json::array();
  for (const SeenWin& win : report.seen->wins) {
    wins.push_back({{"layers", names_of(*report.graph, win.layers)},
                    {"seconds", win.seconds},
                    {"measured_seconds", win.measured_seconds},
                    {"counts", win.used && report.seen->whole_run.empty()},
                    {"framework", win.framework},
                    {"kernels", win.kernels}});
  }
  return {{"seconds", report.seen->seconds},
          {"partial", report.seen->holes > 0},
          {"whole_run",
           report.seen->whole_run.empty() ? ordered_json() : ordered_json(report.seen->whole_run)},
          {"combined_seconds", report.seen->combined_seconds},
          {"profiles", profiles},
          {"faster", wins}};
}

}  // namespace

void require_seen(const Inputs& inputs) {
  for (const Profile& profile : inputs.seen) {
    require_times(profile);
    require_same_threads(profile, inputs.results);
    const bool asked = std::ranges::any_of(
        inputs.filters, [&](const MeasurementFilter& filter) { return is_at(profile, filter); });
    if (asked) continue;
    if (!parse_precision(profile.precision)) {
      throw Error(fmt::format(
          "--seen {}: profile of a run at {}, which is like no --precision: leave it out",
          profile.path.string(), profile.precision));
    }
    throw Error(
        fmt::format("--seen {}: profile of a run at {}: say --precision {}, or leave it out",
                    profile.path.string(), profile.precision, profile.precision));
  }
}

std::optional<SeenBest> make_seen(const Subject& subject, Ladder& ladder) {
  const Graph& graph = subject.graph;
  SeenBest best;
  for (const Profile& profile : subject.inputs.seen) {
    if (!is_of(profile, graph) || !is_at(profile, subject.filter)) continue;
    best.profiles.push_back({.path = profile.path.string(),
                             .framework = framework_name(profile, subject.filter),
                             .seen = seen_in(graph, one_run(profile, graph))});
  }
  if (best.profiles.empty()) return std::nullopt;
  const Movement movement = subject.movement();
  const std::vector<LayerTime> alone = layer_times(graph, subject.measurements(), subject.filter);
  const std::vector<Piece> fusions =
      fusion_pieces(graph, fusion_times(graph, subject.measurements(), subject.filter));
  std::vector<Piece> pieces = fusions;
  for (const SeenProfile& profile : best.profiles) {
    for (const SeenPiece& piece : profile.seen.pieces) {
      pieces.push_back({.layers = piece.layers, .seconds = piece.seconds});
    }
  }
  const Cover cover = cover_of(alone, pieces, movement);
  std::vector<bool> is_done(graph.layers.size());
  for (const std::size_t piece : cover.pieces) {
    for (const std::size_t layer : pieces[piece].layers) is_done[layer] = true;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (!is_done[layer] && lacks_time(alone[layer], movement)) ++best.holes;
  }
  best.seconds = best.combined_seconds = cover.seconds;
  for (const SeenProfile& profile : best.profiles) {
    const auto& whole = profile.seen.whole_seconds;
    if (!whole || *whole <= 0 || *whole >= best.seconds) continue;
    best.seconds = *whole;
    best.whole_run = profile.path;
    best.holes = 0;
  }
  ladder.seen_seconds = best.seconds;
  std::size_t index = fusions.size();
  for (const SeenProfile& profile : best.profiles) {
    for (const SeenPiece& piece : profile.seen.pieces) {
      SeenWin win{.layers = piece.layers,
                  .seconds = piece.seconds,
                  .measured_seconds = measured_seconds(piece.layers, alone, fusions, movement),
                  .framework = profile.framework,
                  .kernels = piece.kernels,
                  .used = std::ranges::binary_search(cover.pieces, index++)};
      if (win.used || gain(win) > 0) best.wins.push_back(std::move(win));
    }
  }
  std::ranges::stable_sort(best.wins, std::ranges::greater{}, gain);
  return best;
}

void add_seen(Section& section, const BoundReport& report) {
  section.facts["seen"] = seen_json(report);
  if (!report.seen) return;
  const SeenBest& best = *report.seen;
  for (const SeenProfile& profile : best.profiles) {
    const Seen& seen = profile.seen;
    section.add(fmt::format(
        "seen in {}: {} of {} operators, {:.3f} of {:.3f} ms, are certain to be layers of the "
        "model; the others, and {} layers, are left out{}",
        profile.path, seen.aligned_operators, seen.operators, seen.aligned_seconds * 1e3,
        seen.seconds * 1e3, seen.layers_left, left_text(seen)));
    if (seen.lacks) {
      section.add(fmt::format("{}: not counted as a whole, because nothing shows that it ran {}",
                              profile.path, report.graph->layers[*seen.lacks].name));
    }
  }
  if (!best.whole_run.empty()) {
    section.add(fmt::format(
        "seen-best {:.3f} ms: all that ran in {}; its groups of layers, each beside the measured "
        "calls, make {:.3f} ms",
        best.seconds * 1e3, best.whole_run, best.combined_seconds * 1e3));
  } else {
    section.add(fmt::format(
        "seen-best {:.3f} ms{}: for each group of layers, the faster of the measured calls (fused "
        "or not) and a framework's kernels",
        best.seconds * 1e3,
        best.holes > 0 ? fmt::format("  PARTIAL, without {} layers", best.holes) : std::string()));
  }
  if (best.wins.empty()) {
    section.add("no framework's kernel is faster than the measured calls");
    return;
  }
  const auto saved = [](const SeenWin& win) {
    return win.measured_seconds ? std::optional(gain(win)) : std::nullopt;
  };
  const Table<SeenWin> table{
      {"layers", "", [&](const SeenWin& win) { return layers_text(*report.graph, win.layers); },
       any_width},
      {"saves us", "", micro, saved},
      {"measured us", "", micro, &SeenWin::measured_seconds},
      {"seen us", "", micro, &SeenWin::seconds},
      {"counts", "",
       [&](const SeenWin& win) {
         return win.used && best.whole_run.empty() ? "yes" : "in others";
       }},
      {"by", "", &SeenWin::framework},
      {"kernels", "", [](const SeenWin& win) { return kernels_text(win.kernels); }, any_width}};
  section.add(table.sheet(
      best.wins,
      {.caption = "layers that a framework's kernels do faster than the measured calls"}));
}

}  // namespace benanza::analysis
