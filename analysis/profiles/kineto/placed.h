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

/// What a node is called and does: an operator with what it calls first, or work without one.
struct Described {
  Index op = no_index;
  Index callee = no_index;
  /// Into Trace::names, of work without an operator.
  Index name = no_index;
};

struct PlacedNodes {
  /// Sorted by start.
  std::vector<Placed> nodes{};
  /// A trace may have a million: described() makes a node of one.
  std::vector<Described> descriptions{};
  /// Into Trace::work, node by node.
  std::vector<Index> work{};

  std::span<const Index> work_of(const Placed& node) const {
    return std::span(work).subspan(node.first_work, node.works);
  }
};

/// A node without times and kernels.
ProfiledNode described(const Trace& trace, const Described& what);

/// A node is the outermost operator that is_known(), otherwise the one that launched the work.
PlacedNodes place_nodes(const Trace& trace);

}  // namespace benanza::analysis::kineto
