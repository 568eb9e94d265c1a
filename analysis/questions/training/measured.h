#pragma once

#include <optional>
#include <vector>

#include "analysis/profiles/profile.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/questions/training/worker.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// What `profile` (may be null) says of training on several GPUs; null if nothing.
const DataParallel* data_parallel_of(const Profile* profile);

/// What `measured` (may be null) says of a framework's own work.
OwnWork own_work_of(const DataParallel* measured);
GradientCopies gradient_copies_of(const DataParallel* measured);

/// Adds that work of `gpus`, part by part, beside what was measured of it alone.
void add_own_work(Section& section, const Scaling& one, const DataParallel& measured);

/// Adds what was measured on several GPUs beside what `all`, of the framework's own computation,
/// predicts by `buckets` (a strategy's name).
void add_measured(Section& section, const std::string& framework, const DataParallel& measured,
                  const std::vector<Scaling>& all, const std::string& buckets);

}  // namespace benanza::analysis
