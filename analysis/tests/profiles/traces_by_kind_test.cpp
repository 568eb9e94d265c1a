// Traces as the field writes them, one a line of data/traces/list.tsv: what each holds, and what is
// read of it or why it is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "analysis/profiles/kineto/rank_trace.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/folder.h"
#include "core/base/sqlite.h"

namespace benanza::analysis {
namespace {

using test::Folder;

/// A line of the list.
struct TraceOfKind {
  std::string file{};
  std::string holds{};
  /// "steps 2; aten::mm 12; ..." (microseconds of each operator), perhaps followed by "; busy 12 of
  /// 20" (of the GPU, in one run), "ranks; 0 5; ..." (computation of each rank) or "refused".
  std::string read_as{};
  /// What the remarks, or the reason of the refusal, contain: one part each; "-" if nothing is
  /// said.
  std::string said{};
};

std::vector<std::string> parted(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.emplace_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + by.size());
  }
}

std::vector<TraceOfKind> traces_of_kinds() {
  std::vector<TraceOfKind> traces;
  std::ifstream list(test::data("traces/list.tsv"));
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> columns = parted(line, "\t");
    if (columns.size() != 4) throw std::runtime_error("list.tsv: 4 columns, not: " + line);
    traces.push_back({columns[0], columns[1], columns[2], columns[3]});
  }
  return traces;
}

/// What was read, in the list's words.
struct ReadTrace {
  std::string as{};
  std::vector<std::string> said{};
};

ReadTrace read_ranks(const std::filesystem::path& file) {
  ReadTrace read{.as = "ranks", .said = {}};
  for (const auto& rank : kineto::read_rank_traces(file)) {
    for (const RankStep& step : rank.steps) {
      read.as += fmt::format("; {} {:.6g}", rank.name, length_of(united(step.computation)) * 1e6);
    }
    read.said.insert(read.said.end(), rank.remarks.begin(), rank.remarks.end());
  }
  return read;
}

ReadTrace read_trace_of_kind(const std::filesystem::path& file, const std::string& expected) {
  try {
    if (expected.starts_with("ranks")) return read_ranks(file);
    const Profile profile = read_profile(file);
    ReadTrace read{.as = fmt::format("steps {}", profile.steps), .said = profile.remarks};
    for (const ProfiledNode& node : profile.nodes) {
      read.as += fmt::format("; {} {:.6g}", node.name, node.seconds * 1e6);
    }
    if (profile.timeline && expected.find("; busy ") != expected.npos) {
      read.as += fmt::format("; busy {:.6g} of {:.6g}", profile.timeline->busy_seconds * 1e6,
                             profile.timeline->span_seconds * 1e6);
    }
    return read;
  } catch (const Error& reason) {
    return {.as = "refused", .said = {reason.what()}};
  }
}

/// The file itself; a text of SQL as the database it makes.
std::filesystem::path path_of(const TraceOfKind& trace, const Folder& folder) {
  const std::filesystem::path path = test::data("traces/" + trace.file);
  if (!std::filesystem::exists(path)) throw std::runtime_error("no file " + path.string());
  if (path.extension() != ".sql") return path;
  const auto database = folder.path() / "export.sqlite";
  sqlite::Connection(database, sqlite::Connection::Mode::write)
      .execute(test::contents(path).c_str());
  return database;
}

TEST(TracesByKind, AreReadRightOrRefusedWithTheCause) {
  const std::vector<TraceOfKind> traces = traces_of_kinds();
  EXPECT_GE(traces.size(), 40U);
  for (const TraceOfKind& trace : traces) {
    SCOPED_TRACE(trace.file + ": " + trace.holds);
    const Folder folder;
    const ReadTrace read = read_trace_of_kind(path_of(trace, folder), trace.read_as);
    EXPECT_EQ(read.as, trace.read_as);
    const bool is_refused = read.as == "refused";
    const auto parts = trace.said == "-" ? std::vector<std::string>() : parted(trace.said, " | ");
    EXPECT_EQ(read.said.size(), is_refused ? 1U : parts.size())
        << testing::PrintToString(read.said);
    for (std::size_t at = 0; at < parts.size(); ++at) {
      EXPECT_THAT(read.said, testing::Contains(testing::HasSubstr(parts[at])));
    }
    for (const std::string& line : read.said) EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
}

}  // namespace
}  // namespace benanza::analysis
