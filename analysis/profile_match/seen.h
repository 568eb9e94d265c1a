#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Layers that a framework's kernels did, and the time they took: an upper limit for these layers.
struct SeenPiece {
  /// Ascending.
  std::vector<std::size_t> layers{};
  double seconds = 0;
  /// Kernels in the order they ran; the operator's name if they are unknown.
  std::vector<std::string> kernels{};
  /// True if the profile lacks some of them.
  bool lacks_kernels = false;
};

/// The times that a profile shows for a model's layers.
struct Seen {
  std::vector<SeenPiece> pieces{};
  /// The profile's operators and their seconds, in all and of those that are part of a piece.
  std::size_t operators = 0;
  double seconds = 0;
  std::size_t aligned_operators = 0;
  double aligned_seconds = 0;
  /// Layers with work to do that are in no piece.
  std::size_t layers_left = 0;
  /// Of these: layers of which the profile states the name or the place, but no shapes.
  std::size_t layers_without_shapes = 0;
  /// Seconds of the whole run: of a GPU its kernels, of a processor the latency or, if that is
  /// more, its operators. Empty if the run may lack work of the model; `lacks` is then its first
  /// layer that may be missing.
  std::optional<double> whole_seconds{};
  std::optional<std::size_t> lacks{};
};

/// Returns only what is certain:
///   - an operator's layers, if the profile names them and states their shapes, or states their
///     problem or the shape of their result (MatchKind problem or moved), a product with a bias
///     only if the operator adds one, too; and the layers between two of those;
///   - a layer whose name is gone, if its operator is the only one of that kind and shape between
///     the certain ones before and after it;
///   - optional steps of an operator (Part) beside its certain layers, if no operator that the
///     profile does not explain may have done them;
///   - for kernels of torch.compile, whose names state operators but no shapes: layers that can
///     only have run between two certain operators (they read what the one computes, and the other
///     reads what they compute) and whose operator is in the name of a kernel between them. All
///     such layers between the same two are one piece, with the time of everything that ran there.
///     A kernel named after a product adds the previous product's bias: both are one piece.
/// A piece may include more work than its layers, never less. The run is whole if no layer may be
/// missing: all products are certain, and every other layer is, or ran before a certain one on a
/// processor, or an operator ran in its place that the profile does not explain. `run` is
/// one_run(). Throws Error, one line, for a profile of another model or of other dimensions.
Seen seen_in(const Graph& graph, const Profile& run);

}  // namespace benanza::analysis
