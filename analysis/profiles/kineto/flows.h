#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analysis/profiles/kineto/event_reader.h"

namespace benanza::analysis::kineto {

/// A launch that states no correlation id.
struct UnlinkedLaunch {
  double start = 0;
  double end = 0;
  Index thread = 0;
  Index name = 0;
};

/// The arrows that a trace draws from launches to their work ("s" to "f"), which link what has no
/// ids. Those with other ends link nothing.
class Flows {
 public:
  /// An end of the arrow `id`, at a time within the work, on the work's stream.
  void add_end(Index id, double time, Index process_name, std::int32_t stream);
  /// Its beginning, at a time within the launch.
  void add_begin(Index id, double time, Index thread);
  /// Gives work without ids those of arrows, and their launches too. A launch that none of
  /// `launches` is has the name `otherwise`.
  void link(Events& events, std::vector<UnlinkedLaunch> launches, Index otherwise);

 private:
  using Line = std::pair<Index, std::int32_t>;
  struct Begin {
    double time = 0;
    Index thread = 0;
  };
  std::map<Line, std::map<double, Index>> ends_;
  std::map<Index, Begin> begins_;
};

}  // namespace benanza::analysis::kineto
