#pragma once

#include <filesystem>
#include <string>

#include "core/tests/folder.h"
#include "core/tests/results_text.h"

namespace benanza::test {

/// Path of one of the repository's recorded profiles and graphs.
inline std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(BENANZA_ANALYSIS_DATA) / name;
}

}  // namespace benanza::test
