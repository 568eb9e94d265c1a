#pragma once

#include <optional>
#include <vector>

#include "analysis/profiles/profile.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/questions/training/worker.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

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
