#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

namespace benanza::record {

/// The library that is loaded into programs with a GPU; empty if it was not built or installed.
std::filesystem::path injected_library();

/// Prints the counters of a chip's kernels ("GH100"), by default of the first GPU's, a line each;
/// or one line that says why there are none.
void list_kernel_counters(std::ostream& out, const std::optional<std::string>& chip);

}  // namespace benanza::record
