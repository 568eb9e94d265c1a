#pragma once

#include <map>
#include <string>

#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// A profile as a model that the suites can measure.
struct ProfileGraph {
  /// One layer per ONNX operator that an operator of the framework does, in the order they ran,
  /// each depending on the previous one. A product that also adds a bias is one layer, and so is
  /// attention, with the call that does all of it as an alternative. Without a problem, a layer is
  /// unsupported, with the reason. Layers state their precision if they ran at several.
  Graph graph{};
  /// Time of the operators of whose work every part has a problem, and of all; seconds.
  double known_seconds = 0;
  double seconds = 0;
  /// Time of the others by name, with the reason if there is one: "aten::elu (argument 3 is 2)".
  std::map<std::string, double> unknown{};
};

/// True for an operator without work of its own: without a kernel or, on a processor, where all of
/// PyTorch's have one, a view or what only calls others.
bool is_free(const Profile& profile, const ProfiledNode& node);

/// Only profiles with sizes have problems: PyTorch's with record_shapes, JAX's with the compiled
/// program. Throws Error if no operator has one.
ProfileGraph graph_of_profile(const Profile& profile, const std::string& name);

}  // namespace benanza::analysis
