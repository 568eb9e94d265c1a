#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace benanza::record {

/// Lines of a library's log that were not understood: broken ones, as processes leave that print at
/// once, and kinds that are not known.
struct ImportedLog {
  std::size_t dropped = 0;
  /// The start of the first one.
  std::string first_dropped{};
};

/// Creates the recording `out` from a log that a library printed earlier, with or without the
/// program's own output in between. Throws Error, and leaves no file, if the log cannot be read or
/// contains no call. The log may be gzipped.
ImportedLog import_log(const std::filesystem::path& log, const std::filesystem::path& out);

}  // namespace benanza::record
