#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regress/gate.h"
#include "analysis/regress/known_verdicts.h"
#include "analysis/regress/pairs.h"

namespace benanza::regress {

/// In turns, a library's choice that takes longer by this factor is slower: between the smallest
/// claim of the lists, 10%, and what the same pair differs by from hour to hour, up to 5%.
inline constexpr double turns_factor = 1.07;

/// How long a library's choice takes in one version, as a multiple of its time in another.
struct TurnsRatio {
  double ratio = 1;
  /// Whether it is beyond turns_factor, in either direction.
  Finding finding = Finding::undecided;
  std::size_t rounds = 0;
};
/// By the problem's key.
using TurnsRatios = std::map<std::string, TurnsRatio, std::less<>>;

/// After / before of all problems of one precision with a time on both sides: takes rounds until
/// each is decided, at most 32.
TurnsRatios compare_in_turns(const RunRound& run);

/// Problems to compare in two versions.
struct TurnsRequest {
  const VersionResults* before = nullptr;
  const VersionResults* after = nullptr;
  Precision precision = Precision::fp32;
  std::vector<std::string> keys{};
};
/// Judges what Evidence::rival says that turns decide; what `compare` leaves out stays as it is.
void decide_in_turns(std::vector<JudgedFailure>& judged,
                     const std::function<TurnsRatios(const TurnsRequest&)>& compare);

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
