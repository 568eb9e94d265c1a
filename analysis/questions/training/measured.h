#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/model/iteration.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// True if the graph is of a training step: its layers state which are of the backward pass.
bool has_phases(const Graph& graph);

/// Seconds to copy a gradient of that many bytes into its message, and back. Null: not copied.
struct GradientCopies {
  std::function<double(double bytes)> pack{};
  std::function<double(double bytes)> unpack{};
};

/// Returns one worker's computation from the seconds of every layer: layers of the backward pass
/// one by one, in topological order; layers without a phase count as forward. `element_bytes`:
/// bytes per gradient element. Input times stay 0. Throws Error for a graph without phases.
WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds, double element_bytes,
                       const GradientCopies& copies = {});

/// Data-parallel measurements of `profile` (may be null); null if there are none.
const DataParallel* data_parallel_of(const Profile* profile);

/// The framework's own work according to `measured` (may be null).
OwnWork own_work_of(const DataParallel* measured);
GradientCopies gradient_copies_of(const DataParallel* measured);

/// Adds the parts of the framework's own work in `one`, next to what was measured of each alone.
void add_own_work(Section& section, const Scaling& one, const DataParallel& measured);

/// Adds the measurement on several GPUs next to the prediction: the one in `all`, from the
/// framework's own computation, of strategy `buckets`.
void add_measured(Section& section, const std::string& framework, const DataParallel& measured,
                  const std::vector<Scaling>& all, const std::string& buckets);

}  // namespace benanza::analysis
