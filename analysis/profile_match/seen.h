#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Layers that a framework's kernels did, and what these took: the layers can be done in that time.
struct SeenPiece {
  /// Ascending.
  std::vector<std::size_t> layers{};
  double seconds = 0;
  /// Kernels, in the order they ran; the operator's name where they are not known.
  std::vector<std::string> kernels{};
};

/// What a profile shows of a model's layers.
struct Seen {
  std::vector<SeenPiece> pieces{};
  /// Operators of the profile, their seconds, and those that are part of a piece.
  std::size_t operators = 0;
  double seconds = 0;
  std::size_t aligned_operators = 0;
  double aligned_seconds = 0;
  /// Layers with work to do that are in no piece.
  std::size_t layers_left = 0;
};

/// What is certain alone:
///   - an operator's layers, where the profile names them or states their problem or the shape of
///     their result (MatchKind name, problem or moved), a product with a bias if the operator adds
///     one, too; and those between two of them;
///   - of kernels that torch.compile makes, whose names state operators but no shapes: layers that
///     can have run only between two operators which are certain (they read what the one makes, and
///     the other reads what they make) and whose operator is in the name of a kernel between them.
///     All such layers between the same two are one piece, and everything that ran there is its
///     time. A kernel that is named after a product adds the bias of the one before it: both are
///     one piece.
/// A piece may have done more than its layers; never less. `run` is one_run(). Throws Error, one
/// line, for a profile of another model.
Seen seen_in(const Graph& graph, const Profile& run);

}  // namespace benanza::analysis
