#pragma once

#include <filesystem>

namespace benanza::record {

/// Creates the recording `out` from a log that a library printed earlier, with or without the
/// program's own output in between. Throws Error, and leaves no file, if the log cannot be read or
/// contains no call.
void import_log(const std::filesystem::path& log, const std::filesystem::path& out);

}  // namespace benanza::record
