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
  /// Learns which GPU each of several processes uses, from the work that only one of them can have
  /// launched.
  void learn_devices(std::span<const Work> work, std::span<const WorkLinks> links);
  /// The launch of some work, which counts as its launch from then on; null if the trace has none.
  Launch* take(const Work& work, const WorkLinks& links);

  struct Lost {
    std::size_t lost = 0;
    std::size_t all = 0;
  };
  /// Calls `use` for each launch of which the trace has no work, and counts them. What was captured
  /// into a graph is no launch, nor is the driver's call within one of the runtime's.
  Lost lost(const std::function<void(const Launch& launch)>& use) const;

 private:
  /// As the trace writes the GPU's process, and the GPU's number.
  using Device = std::pair<Index, std::int64_t>;

  std::span<Launch> of_correlation(std::int64_t correlation);
  bool is_better(const Launch& one, const Launch& than, const Work& work,
                 const WorkLinks& links) const;
  bool repeats_previous(std::size_t at) const;

  std::vector<Launch> launches_;
  const std::vector<std::string>& names_;
  std::vector<Index> process_of_thread_;
  std::vector<bool> is_graph_;
  std::vector<bool> launches_work_;
  std::map<Device, Index> process_of_device_;
  std::size_t next_ = 0;
};

}  // namespace benanza::analysis::kineto
