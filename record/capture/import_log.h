#pragma once

#include <cstddef>
#include <filesystem>

namespace benanza::record {

/// Creates the recording `out` from a log that a library printed earlier, with or without the
/// program's own output in between. Throws Error, and leaves no file, if the log cannot be read or
/// contains no call. Returns the number of lines of the log that were not understood: broken ones,
/// as processes leave that print at once, and kinds that are not known.
std::size_t import_log(const std::filesystem::path& log, const std::filesystem::path& out);

}  // namespace benanza::record
