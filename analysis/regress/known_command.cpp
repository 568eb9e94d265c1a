#include "analysis/regress/known_command.h"

#include <fmt/format.h>

#include "analysis/regress/process.h"
#include "analysis/regress/side.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

/// Every algorithm: a failure may be in any. Reference code is among them where there is nothing
/// else.
void measure(const SideOfGate& side, const fs::path& cases, const fs::path& results) {
  const fs::path err = results.string() + ".err";
  Process suite({.program = side.program,
                 .arguments = {"--cases=" + cases.string(), "--algorithms=all", "--no-rotation",
                               "--budget=0.1", "--benchmark_out=" + results.string()},
                 .environment = environment_of(side),
                 .out = results.string() + ".out",
                 .err = err});
  suite.finish();
}

}  // namespace

VersionList parse_version_list(const std::string& text) {
  const std::size_t equals = text.find('=');
  VersionList made{.backend = text.substr(0, equals)};
  if (equals != std::string::npos) {
    made.places = text::split<std::string>(std::string_view(text).substr(equals + 1), ',');
    if (made.places.back().empty()) made.places.pop_back();
  }
  if (made.backend.empty() || made.places.empty()) {
    throw Error("--versions " + text +
                ": write LIBRARY=PLACE[,PLACE...], as onednn=here,/opt/onednn");
  }
  return made;
}

std::vector<VersionResults> known_results(const VersionList& list,
                                          const std::vector<KnownFailure>& failures,
                                          const fs::path& own, const fs::path& folder) {
  std::vector<KnownFailure> wanted;
  for (const KnownFailure& one : failures) {
    if (one.library == list.backend) wanted.push_back(one);
  }
  if (wanted.empty()) throw Error("the lists have no failure of " + list.backend);
  make_directories(folder);
  const fs::path cases = folder / (list.backend + ".cases");
  write_file(cases, cases_text(wanted));
  std::vector<VersionResults> made;
  for (const std::string& place : list.places) {
    fs::path results = place;
    if (!fs::is_regular_file(place)) {
      results = folder / fmt::format("{}.{}.json", list.backend, made.size());
      const SideOfGate side = side_of(place, list.backend, own / ("bench_" + list.backend));
      if (!fs::exists(results)) measure(side, cases, results);
    }
    made.push_back(read_version(results.string()));
  }
  return made;
}

}  // namespace benanza::regress
