// Logs as oneDNN's versions write them, one a line of data/logs/list.tsv: what each holds, and what
// is read of it or why it is refused.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "record/capture/import_log.h"
#include "record/store/recording.h"

namespace benanza::record {
namespace {

std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> columns;
  while (true) {
    const std::size_t at = line.find('\t');
    columns.emplace_back(line.substr(0, at));
    if (at == line.npos) return columns;
    line.remove_prefix(at + 1);
  }
}

/// "matmul ref:any 1 2500; ..." in the order of the first calls, or "refused"; `said` is what the
/// program tells besides.
std::string read_log_of_kind(const std::filesystem::path& log, std::string& said) {
  const auto out = std::filesystem::temp_directory_path() /
                   ("benanza_log_of_kind_" + std::to_string(::getpid()) + ".db");
  std::filesystem::remove(out);
  std::string read;
  try {
    const ImportedLog imported = import_log(log, out);
    if (imported.dropped > 0) {
      said = "left out: " + std::to_string(imported.dropped) + ", first " + imported.first_dropped;
    }
    auto totals = RecordingReader(out).totals();
    std::ranges::sort(totals, {}, &CallTotal::first);
    for (const CallTotal& total : totals) {
      read += (read.empty() ? "" : "; ") + total.text.kind + ' ' + total.text.implementation + ' ' +
              std::to_string(total.calls) + ' ' + std::to_string(std::lround(total.seconds * 1e6));
    }
  } catch (const Error& reason) {
    said = reason.what();
    read = "refused";
  }
  std::filesystem::remove(out);
  return read;
}

TEST(LogsByKind, AreReadRightOrRefusedWithTheCause) {
  const std::filesystem::path folder = std::filesystem::path(BENANZA_RECORD_DATA) / "logs";
  std::ifstream list(folder / "list.tsv");
  std::size_t logs = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('#')) continue;
    SCOPED_TRACE(line);
    const std::vector<std::string> columns = columns_of(line);
    ASSERT_EQ(columns.size(), 4U);
    ASSERT_TRUE(std::filesystem::exists(folder / columns[0]));
    std::string said;
    EXPECT_EQ(read_log_of_kind(folder / columns[0], said), columns[2]);
    if (columns[3] == "-") {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_THAT(said, testing::HasSubstr(columns[3]));
    }
    ++logs;
  }
  EXPECT_GE(logs, 15U);
}

}  // namespace
}  // namespace benanza::record
