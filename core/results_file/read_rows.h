#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"

namespace benanza {

/// Receives the contents of a results file, in file order.
struct ResultsSink {
  /// Called once, before any row.
  std::function<void(const Origin&)> begin;
  std::function<void(Row&&)> add;
};

/// Reads a results file of any size: rows are parsed on all processors, a few MB at a time, and
/// passed to `sink` on the calling thread. Throws Error, one line that ends with `remedy`, if the
/// file is not a results file, is truncated or has another schema; `sink` may have received rows by
/// then.
void read_rows(const std::filesystem::path& path, const ResultsSink& sink,
               std::string_view remedy = "measure again, or leave the file out");

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
