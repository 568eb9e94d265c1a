#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/results_file/read_rows.h"

namespace benanza {

/// The journal of a results file, in which a suite keeps its rows until it ends: a line for the
/// origin (origin_json()), then a row in each (row_text()).
std::filesystem::path journal_of(const std::filesystem::path& results);

struct JournalRows {
  Origin origin{};
  /// In the order of the file; of several rows of a variant and repetition, the last.
  std::vector<Row> rows{};
};

/// Parses the complete lines of a journal. Damaged rows are left out: the suite measures them
/// again. Empty if the first line is no origin, or of another schema.
std::optional<JournalRows> parse_journal(std::span<const std::string> lines);

/// Reads the journal of `results`, while a suite writes it, too: lines that are not complete are
/// left out. Empty if there is none, or it holds no row.
std::optional<JournalRows> read_journal(const std::filesystem::path& results);

/// read_rows() with the rows of the journal, which replace those of the same variant and
/// repetition. The file may be absent if there is a journal.
void read_rows_and_journal(const std::filesystem::path& results, const ResultsSink& sink,
                           std::string_view remedy = "measure again, or leave the file out");

}  // namespace benanza
