#pragma once

#include <filesystem>

#include "analysis/profiles/profile.h"

namespace benanza::analysis {

/// Reads an export of Nsight Systems as a profile: what an NVTX range launched is a node, and so is
/// a kernel outside of all ranges. Throws Error if it has no kernel.
Profile nsight_profile(const std::filesystem::path& path);

}  // namespace benanza::analysis
