#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/results_file/origin.h"

namespace benanza::harness {

struct OtherSystem : Error {
  using Error::Error;
};

/// For runs on several machines whose results are to be joined. If `file` does not exist, writes
/// it: the backend and system of `origin`, and this host's name. Otherwise throws OtherSystem, with
/// one line naming the hosts and the first field that differs, if rows of both origins may not be
/// in the same file. If several processes start at once, exactly one writes the file.
void require_one_system(const std::filesystem::path& file, const Origin& origin);

}  // namespace benanza::harness
