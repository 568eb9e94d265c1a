#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/results_file/origin.h"

namespace benanza::harness {

struct OtherSystem : Error {
  using Error::Error;
};

/// For runs on several machines whose results are to be joined. Where there is no `file`, writes
/// it: backend and system of `origin`, and the name of this host. Otherwise throws OtherSystem, one
/// line with the hosts and the first field that differs, if rows of both may not stand in one file.
/// Of processes that come at the same time, one writes.
void require_one_system(const std::filesystem::path& file, const Origin& origin);

}  // namespace benanza::harness
