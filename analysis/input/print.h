#pragma once

#include <string_view>

namespace benanza::analysis {

/// Writes an answer to standard output. Throws Error if it cannot all be written.
void print(std::string_view text);

}  // namespace benanza::analysis
