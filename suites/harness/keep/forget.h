#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"
#include "suites/harness/machine_context.h"

namespace benanza::harness {

struct Forgotten {
  /// Rows that were removed, and the files they were in.
  std::size_t rows = 0;
  std::size_t files = 0;
  /// One line for each file that was moved aside: what it is, and its new name.
  std::vector<std::string> aside;
};

/// Removes the rows that are `unwanted` from every results file (*.json) in `folder` and its
/// folders, with those that an interrupted run left in the file's journal. All other rows stay; a
/// file without any is removed. A file that this suite cannot continue here (of another system, or
/// damaged) is renamed to "<file>.aside", so that measuring starts a new one. Throws Error for a
/// file that another process writes. A folder that does not exist holds nothing.
Forgotten forget(const std::filesystem::path& folder, const Origin& origin, const Writer& writer,
                 const std::function<bool(const Row&)>& unwanted);

}  // namespace benanza::harness
