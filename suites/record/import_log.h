#pragma once

#include <filesystem>

namespace benanza::record {

/// Makes the recording `out` of a log that a library printed earlier, with or without the program's
/// own output around it. Throws Error, and leaves no file, where it cannot be read or holds no
/// call.
void import_log(const std::filesystem::path& log, const std::filesystem::path& out);

}  // namespace benanza::record
