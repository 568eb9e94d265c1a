#pragma once

#include <vector>

#include "analysis/questions/profile/recorded.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// What was recorded, where, and its sums; the counters of the processor. `recorded` is not empty.
Section profile_overview(const std::vector<Recorded>& recorded);

/// The flat profiles side by side: of GPUs, then of calls of the libraries. Sets the section's CSV
/// to the rows of all of them.
void add_profile_tables(Section& section, const std::vector<Recorded>& recorded);

/// For HTML: the time in the library by kind of call; of GPUs, the time by cause (kernels, copies,
/// idle and why), the largest kernels, Tensor Core use, and the cumulative distribution of time by
/// throughput (as in Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning
/// Performance Benchmark", 2019), and the memory held over time. Plots without data are left out.
void add_profile_plots(Section& section, const std::vector<Recorded>& recorded);

}  // namespace benanza::analysis
