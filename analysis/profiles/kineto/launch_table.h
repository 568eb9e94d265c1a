#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/profiles/kineto/event_reader.h"
#include "analysis/profiles/kineto/trace.h"

namespace benanza::analysis::kineto {

/// True for a call that launches a kernel or a graph: cudaLaunchKernel, cuLaunchKernelEx,
/// hipModuleLaunchKernel, urEnqueueKernelLaunch, cudaGraphLaunch, ...
bool launches_work(std::string_view name);

/// The calls that launch GPU work, by their correlation ids, which several processes, and one that
/// runs long, may use more than once.
class LaunchTable {
 public:
  /// `process_of_thread`: as the trace writes processes. `names` must outlive the table.
  LaunchTable(std::vector<Launch> launches, const std::vector<std::string>& names,
              std::vector<Index> process_of_thread);

  std::span<Launch> all() { return launches_; }
  bool is_graph(const Launch& launch) const { return is_graph_[launch.name]; }
  /// Launches that the trace tells again; they are left out.
  std::size_t told_twice() const { return told_twice_; }
  /// Counts the process of some work that only one can have launched. After all work, settle()
  /// learns of it which GPU each process uses.
  void vote(double start, const WorkLinks& links);
  void settle();
  /// The launch of work that started then, which counts as its launch from then on; null if the
  /// trace has none.
  Launch* take(double start, const WorkLinks& links);

  struct Lost {
    std::size_t lost = 0;
    std::size_t all = 0;
  };
  /// Calls `use` for each launch of which the trace has no work, and counts them. What was captured
  /// into a graph is no launch, nor is the driver's call within one of the runtime's.
  Lost lost(const std::function<void(const Launch& launch)>& use) const;

 private:
  /// As the trace writes the GPU's process, and the GPU's number.
  using Device = std::pair<Index, std::int16_t>;

  std::span<Launch> of_correlation(std::int64_t correlation);
  bool is_better(const Launch& one, const Launch& than, double start, const WorkLinks& links) const;
  bool repeats_previous(std::size_t at) const;

  std::vector<Launch> launches_;
  const std::vector<std::string>& names_;
  std::vector<Index> process_of_thread_;
  std::vector<bool> is_graph_;
  std::vector<bool> launches_work_;
  std::map<Device, std::map<Index, std::size_t>> votes_;
  std::map<Device, Index> process_of_device_;
  std::size_t next_ = 0;
  std::size_t told_twice_ = 0;
};

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
