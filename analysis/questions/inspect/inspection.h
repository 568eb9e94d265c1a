#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Kinds of differences between a framework's run and the calls that the model implies.
enum class Difference {
  extra,       // work that the model does not require
  missing,     // a layer that did not run, or ran inside another
  parameters,  // the layer's operator with other shapes or attributes
  order,       // the layer's operator at another position
  arithmetic,  // products that do not use Tensor Cores at their precision
  untold,      // work that the model may require, as far as the profile tells
  wait,        // the GPU was idle because the host had not launched the next kernel
};
inline constexpr Difference differences_known[] = {
    Difference::extra,      Difference::missing, Difference::parameters, Difference::order,
    Difference::arithmetic, Difference::untold,  Difference::wait};
std::string_view to_string(Difference difference);

struct Deviation {
  Difference difference = Difference::extra;
  /// A few words, equal for findings of the same kind: "layout transform", "BatchNormalization".
  std::string what{};
  /// The model's layer; if the operator does none, the preceding one. Empty before the first.
  std::string layer{};
  /// The framework's operator; empty if nothing ran.
  std::string node{};
  /// Seconds of one run.
  double seconds = 0;
  /// True if `seconds` is the operator's whole time, of which an unknown part is lost.
  bool at_most = false;
  /// The kernels, or the two problems that differ.
  std::string detail{};
  /// One sentence: what to do about it.
  std::string advice{};
};

/// All findings of one kind, added up.
struct Total {
  Difference difference = Difference::extra;
  std::string what{};
  std::size_t count = 0;
  double seconds = 0;
  bool at_most = false;
  std::string advice{};
};

struct Inspection {
  Quality quality{};
  /// Median with the profiler off; empty if the profile has none.
  std::optional<double> latency_seconds{};
  std::optional<double> graph_latency_seconds{};
  Timeline timeline{};
  /// Factor on the waits of the run with the profiler on: at most 1, so that they do not exceed the
  /// GPU's idle time in the latency.
  double wait_scale = 1;
  /// Factor on the kernels' times of that run: at most 1, so that the GPU is not busy for longer
  /// than the latency.
  double work_scale = 1;
  /// Most expensive first.
  std::vector<Deviation> findings{};
  /// Totals of the findings, most expensive first.
  std::vector<Total> totals{};
};

/// Compares the run with the model. `profile` must be one run (one_run()) with the GPU's timeline.
/// Throws Error (one line) if it has no timeline or is of another model (same_model.h).
Inspection inspect(const Graph& graph, const Profile& profile);

}  // namespace benanza::analysis
