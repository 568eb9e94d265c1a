#include "analysis/profiles/kineto/flows.h"

#include <algorithm>

namespace benanza::analysis::kineto {
namespace {

/// Beyond the ids of traces, which have 32 bits.
constexpr std::int64_t first_correlation = std::int64_t{1} << 48U;

}  // namespace

void Flows::add_end(Index id, double time, Index process_name, std::int32_t stream) {
  ends_[{process_name, stream}].emplace(time, id);
}

void Flows::add_begin(Index id, double time, Index thread) {
  begins_.emplace(id, Begin{.time = time, .thread = thread});
}

void Flows::link(Events& events, std::vector<UnlinkedLaunch> launches, Index otherwise) {
  const auto place = [](const UnlinkedLaunch& one) { return std::pair(one.thread, one.start); };
  std::ranges::sort(launches, {}, place);
  for (std::size_t at = 0; at < events.work.size(); ++at) {
    WorkLinks& links = events.links[at];
    const auto line = ends_.find({links.process_name, links.stream});
    if (links.correlation != no_id || links.external != no_id || line == ends_.end()) continue;
    const auto end = line->second.lower_bound(events.work[at].start);
    if (end == line->second.end() || end->first > events.work[at].end) continue;
    const auto begin = begins_.find(end->second);
    if (begin == begins_.end()) continue;
    links.correlation = first_correlation + end->second;
    Launch launch{.correlation = links.correlation,
                  .start = begin->second.time,
                  .thread = begin->second.thread,
                  .name = otherwise};
    const auto after =
        std::ranges::upper_bound(launches, std::pair(launch.thread, launch.start), {}, place);
    if (after != launches.begin() && std::prev(after)->thread == launch.thread &&
        std::prev(after)->end >= launch.start) {
      launch.start = std::prev(after)->start;
      launch.name = std::prev(after)->name;
    }
    events.launches.push_back(launch);
  }
}

}  // namespace benanza::analysis::kineto
