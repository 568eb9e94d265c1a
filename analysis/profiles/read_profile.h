#pragma once

#include <filesystem>

#include "analysis/profiles/profile.h"

namespace benanza::analysis {

/// Reads a framework's profile; its content says which framework's. Throws Error, one line, if it
/// is none of those known, cut short, or holds no latency or no operator.
Profile read_profile(const std::filesystem::path& path);

}  // namespace benanza::analysis
