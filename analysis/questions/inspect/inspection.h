#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Where a framework's run differs from the calls that the model implies.
enum class Difference {
  extra,       // work that the model does not ask for
  missing,     // a layer of the model that ran nowhere, or inside another
  parameters,  // the layer's operator, with other shapes or attributes
  order,       // the layer's operator, in another place
  arithmetic,  // products that do not use the units their precision has
  wait,        // the GPU idle, because the host had not launched the next kernel
};
inline constexpr Difference differences_known[] = {Difference::extra,      Difference::missing,
                                                   Difference::parameters, Difference::order,
                                                   Difference::arithmetic, Difference::wait};
std::string_view to_string(Difference difference);

struct Finding {
  Difference difference = Difference::extra;
  /// A few words, equal for findings of one kind: "layout transform", "BatchNormalization".
  std::string what{};
  /// The model's layer; where the operator does none, the one before it. Empty before the first.
  std::string layer{};
  /// The framework's operator; empty where nothing ran.
  std::string node{};
  /// Seconds of one run.
  double seconds = 0;
  /// `seconds` is all that the operator takes, of which an unknown part is lost.
  bool at_most = false;
  /// Kernels, or the two problems that differ.
  std::string detail{};
  /// One sentence: what to do about it.
  std::string advice{};
};

/// All of one kind.
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
  /// Median, with the profiler off; empty if the profile does not know it.
  std::optional<double> latency_seconds{};
  std::optional<double> graph_latency_seconds{};
  Timeline timeline{};
  /// Waits are those of the run with the profiler on, times this: at most 1, so that they do not
  /// add up to more than the latency leaves beside the GPU's work.
  double wait_scale = 1;
  /// Most expensive first.
  std::vector<Finding> findings{};
  /// Of the findings; most expensive first.
  std::vector<Total> totals{};
};

/// Compares the run with the model. `profile` must be one_run() of it and know the GPU's timeline.
/// Throws Error, one line, if it has none, or is of another model (same_model.h).
Inspection inspect(const Graph& graph, const Profile& profile);

}  // namespace benanza::analysis
