#pragma once

#include "analysis/profiles/profile.h"

namespace benanza::analysis {

/// Reads the fields `processes` and `fewer_threads` of a profile that one of the project's scripts
/// wrote. Older ones have neither: their runs are of one process. Throws Error if a process has no
/// latency, or if the processes' runs are not the profile's.
void read_processes(const ProfileFile& document, Profile& profile);

}  // namespace benanza::analysis
