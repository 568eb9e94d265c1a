#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regress/known_verdicts.h"

namespace benanza::regress {

/// What --versions names: "onednn=here,/opt/onednn-3.2", builds, folders of a library, or results
/// files.
struct VersionList {
  std::string backend{};
  std::vector<std::string> places{};
};
/// Throws Error unless it is LIBRARY=PLACE[,PLACE...].
VersionList parse_version_list(const std::string& text);

/// Results of a list's problems in each version: those of results files as they are, the others
/// measured into `folder` by `own`'s suites (LIBRARY.<number>.json), unless they are there already.
/// oneDNN's wrong results and crashes are also looked for with more threads than few processors
/// have (LIBRARY.<number>.threads.json), its reference code in calls as the model has the problem
/// (LIBRARY.<number>.reference.json).
std::vector<VersionResults> known_results(const VersionList& list,
                                          const std::vector<KnownFailure>& failures,
                                          const std::filesystem::path& own,
                                          const std::filesystem::path& folder);

/// Adds those of `more`, measured with many threads, that fail: times are none of that machine.
void add_failing_rows(VersionResults& results, std::vector<Row> more);

/// Adds those of `more`, measured with reference code, whose calls are made as the model has the
/// problem.
void add_direct_rows(VersionResults& results, std::vector<Row> more);

/// Decides what times of different moments leave open by rounds in which both versions take turns,
/// kept in `folder`; not against results files.
void take_turns(const VersionList& list, const std::filesystem::path& own,
                const std::filesystem::path& folder, const std::vector<VersionResults>& versions,
                std::vector<JudgedFailure>& judged);

}  // namespace benanza::regress
