#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/regress/gate.h"
#include "analysis/regress/model_gate.h"
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

using analysis::Section;

/// Returns a shell command that measures a unit again, on the after side.
using Reproducer = std::function<std::string(const Judged&)>;

/// Returns a sentence for each model, the table of all verdicts and a command for each regression.
Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer, const OfModels& models = {});
/// Returns a JUnit XML suite: a test for each model, for each unit with a verdict, and one for all
/// of them together. Models that are worse are failures, and so are regressions, unless they are of
/// models of which none is worse.
std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer,
                        const OfModels& models = {});
/// Returns GitHub's workflow commands, a line each: an error for each failure as above; a warning
/// for other regressions, and if the rounds do not settle whether it is one.
std::string github_annotations(std::string_view backend, const GateAnswer& answer,
                               const GateOptions& options, const OfModels& models = {});

}  // namespace benanza::regress
