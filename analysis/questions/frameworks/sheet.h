#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// A table with a row per framework that ran a model: latency, operators, kernels and whose they
/// are, share of Tensor Cores, idle GPU, copies, and the distance to the bound.
Sheet frameworks_sheet(std::string name);

/// A row of it. `bound`: the model's sequential bound in seconds at the profile's precision; empty
/// if unknown. Cells of what the profile does not know are "-".
std::vector<Cell> framework_cells(const Profile& profile, std::optional<double> bound);

}  // namespace benanza::analysis
