#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/regress/gate.h"
#include "analysis/render/page.h"

namespace benanza::regress {

/// A problem that changed from one version to the next, somewhere.
struct VersionChange {
  std::string unit{};
  /// For each step from a version to the next; empty: no difference.
  std::vector<std::optional<Judged>> steps{};

  /// The first step that is a regression; empty if none is.
  std::optional<std::size_t> came_in() const;
};

/// `answers` are of successive pairs of versions. Problems with a regression come first, then those
/// that became faster; those that only looked different are left out.
std::vector<VersionChange> version_changes(std::span<const GateAnswer> answers);

/// A row for each problem that changed, a column for each version after the first. `versions` has
/// one name more than there are answers.
analysis::Section versions_section(const std::string& library,
                                   const std::vector<std::string>& versions,
                                   std::span<const GateAnswer> answers);

}  // namespace benanza::regress
