#pragma once

#include <span>
#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis::kineto {

/// An operator that worked on the GPU, or work without one.
struct Placed {
  double start = 0;
  /// What it is: into PlacedNodes::descriptions.
  Index description = 0;
  /// The same for all that are is_same_sequence().
  Index kind = 0;
  /// Its work: a part of PlacedNodes::work.
  Index first_work = 0;
  Index works = 0;
  std::uint16_t process = 0;
  bool lacks_kernels = false;
};

struct PlacedNodes {
  /// Sorted by start.
  std::vector<Placed> nodes{};
  /// Nodes without times and kernels.
  std::vector<ProfiledNode> descriptions{};
  /// Into Trace::work, node by node.
  std::vector<Index> work{};

  std::span<const Index> work_of(const Placed& node) const {
    return std::span(work).subspan(node.first_work, node.works);
  }
};

/// A node is the outermost operator that is_known(), otherwise the one that launched the work.
PlacedNodes place_nodes(const Trace& trace);

}  // namespace benanza::analysis::kineto
