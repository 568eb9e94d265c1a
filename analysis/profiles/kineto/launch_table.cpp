#include "analysis/profiles/kineto/launch_table.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace benanza::analysis::kineto {
namespace {

bool is_driver_call(std::string_view name) {
  return name.starts_with("cu") && !name.starts_with("cuda");
}

/// Stretches of a thread's time in which it captured a graph; the last may lack its end.
using Captures = std::vector<std::pair<double, std::optional<double>>>;

bool holds(const Captures& captures, double time) {
  return std::ranges::any_of(captures, [&](const auto& one) {
    return one.first <= time && (!one.second || time <= *one.second);
  });
}

/// Beyond the ids of traces, which have 32 bits.
constexpr std::int64_t first_correlation = std::int64_t{1} << 48U;

}  // namespace

bool launches_work(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return has("Launch") && (has("Kernel") || has("Graph"));
}

LaunchTable::LaunchTable(std::vector<Launch> launches, const std::vector<std::string>& names,
                         std::vector<Index> process_of_thread)
    : launches_(std::move(launches)),
      names_(names),
      process_of_thread_(std::move(process_of_thread)) {
  for (const std::string& name : names) {
    is_graph_.push_back(launches_graph(name));
    launches_work_.push_back(kineto::launches_work(name));
  }
  const auto less = [](const Launch& a, const Launch& b) {
    return std::tuple(a.correlation, a.start, a.thread) <
           std::tuple(b.correlation, b.start, b.thread);
  };
  // Most traces are in order; sorting takes time.
  if (!std::ranges::is_sorted(launches_, less)) std::ranges::stable_sort(launches_, less);
  // A trace that was merged with itself has each twice.
  const auto twice = std::ranges::unique(launches_, [](const Launch& a, const Launch& b) {
    return a.correlation == b.correlation && a.start == b.start && a.thread == b.thread &&
           a.name == b.name;
  });
  told_twice_ = twice.size();
  launches_.erase(twice.begin(), twice.end());
}

std::span<Launch> LaunchTable::of_correlation(std::int64_t correlation) {
  if (correlation == no_id) return {};
  const auto is_at = [&](std::size_t at) {
    return at < launches_.size() && launches_[at].correlation == correlation &&
           (at == 0 || launches_[at - 1].correlation < correlation);
  };
  // Work comes mostly in the order of its launches.
  if (!is_at(next_)) {
    const auto found = std::ranges::lower_bound(launches_, correlation, {}, &Launch::correlation);
    next_ = static_cast<std::size_t>(found - launches_.begin());
  }
  const std::size_t first = next_;
  while (next_ < launches_.size() && launches_[next_].correlation == correlation) ++next_;
  return std::span(launches_).subspan(first, next_ - first);
}

void LaunchTable::vote(double start, const WorkLinks& links) {
  std::optional<Index> process;
  for (const Launch& launch : of_correlation(links.correlation)) {
    const Index other = process_of_thread_[launch.thread];
    if (launch.start > start) continue;
    if (process && *process != other) return;
    process = other;
  }
  if (process) ++votes_[{links.process_name, links.device}][*process];
}

void LaunchTable::settle() {
  for (const auto& [device, of_processes] : votes_) {
    Index winner = no_index;
    std::size_t most = 0;
    std::size_t all = 0;
    for (const auto& [process, count] : of_processes) {
      all += count;
      if (count > most) winner = process;
      most = std::max(most, count);
    }
    // A few may be wrong, where launches were lost; a GPU that processes share tells nothing.
    if (most * 10 >= all * 9) process_of_device_[device] = winner;
  }
}

Launch* LaunchTable::take(double start, const WorkLinks& links) {
  Launch* best = nullptr;
  for (Launch& launch : of_correlation(links.correlation)) {
    if (best == nullptr || is_better(launch, *best, start, links)) best = &launch;
  }
  if (best != nullptr) best->has_work = true;
  return best;
}

/// `one`, which starts later, is the better fit if its process is the kernel's or, where that is
/// not told, that of the GPU's other work. Of one process' launches, each has the next work.
bool LaunchTable::is_better(const Launch& one, const Launch& than, double start,
                            const WorkLinks& links) const {
  const auto process = [&](const Launch& launch) { return process_of_thread_[launch.thread]; };
  if (process(one) != process(than)) {
    const auto learnt = process_of_device_.find({links.process_name, links.device});
    for (const Index its :
         {links.process_name, learnt == process_of_device_.end() ? no_index : learnt->second}) {
      if ((process(one) == its) != (process(than) == its)) return process(one) == its;
    }
  }
  const bool is_before = one.start <= start;
  if (is_before != (than.start <= start)) return is_before;
  const bool is_within = is_driver_call(names_[one.name]) && !is_driver_call(names_[than.name]);
  return !one.has_work && than.has_work && !is_within;
}

/// The driver's call within the runtime's, with the same id.
bool LaunchTable::repeats_previous(std::size_t at) const {
  if (at == 0 || !is_driver_call(names_[launches_[at].name])) return false;
  const Launch& previous = launches_[at - 1];
  return previous.correlation == launches_[at].correlation &&
         previous.thread == launches_[at].thread && !is_driver_call(names_[previous.name]);
}

LaunchTable::Lost LaunchTable::lost(const std::function<void(const Launch& launch)>& use) const {
  std::map<Index, std::vector<std::pair<double, bool>>> marks;
  for (const Launch& launch : launches_) {
    const std::string& name = names_[launch.name];
    const bool begins = name.find("StreamBeginCapture") != name.npos;
    if (!begins && name.find("StreamEndCapture") == name.npos) continue;
    marks[launch.thread].emplace_back(launch.start, begins);
  }
  std::map<Index, Captures> captures;
  for (auto& [thread, of_thread] : marks) {
    std::ranges::sort(of_thread);
    Captures& own = captures[thread];
    for (const auto& [time, begins] : of_thread) {
      if (begins) {
        own.emplace_back(time, std::nullopt);
      } else if (!own.empty() && !own.back().second) {
        own.back().second = time;
      }
    }
  }
  Lost found;
  for (std::size_t at = 0; at < launches_.size(); ++at) {
    const Launch& launch = launches_[at];
    if (!launches_work_[launch.name] || repeats_previous(at)) continue;
    const auto own = captures.find(launch.thread);
    if (!launch.has_work && own != captures.end() && holds(own->second, launch.start)) continue;
    ++found.all;
    if (launch.has_work) continue;
    ++found.lost;
    use(launch);
  }
  return found;
}

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
