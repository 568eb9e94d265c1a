#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"
#include "suites/harness/journal.h"
#include "suites/harness/machine_context.h"

namespace benanza::harness {

/// Every measurement of one results file: those of earlier runs and those of this one. A row is on
/// disk, in `<file>.journal`, when add() returns; write() merges the journal into the file.
class ResultStore {
 public:
  /// An empty `path` keeps rows in memory only. `fresh` discards what is there. Throws Error if the
  /// file is no results file, was measured on another system, or is in use by another process.
  ResultStore(std::filesystem::path path, Origin origin, bool fresh);

  /// Number of repetitions of `name` that need not run again: those that are ok, or `wanted` if one
  /// of them settled the matter or two in a row were outclassed. One repetition may have met a bad
  /// moment. Rows that were incorrect or failed are due again.
  std::int64_t finished(const std::string& name, std::int64_t wanted) const;
  /// Null if there is none.
  const Row* find(const std::string& name, std::int64_t repetition) const;

  const std::vector<Row>& rows() const { return rows_; }

  /// Of a file where a row, by row_text(), may be appended if add() cannot be called any more;
  /// negative: none.
  int journal_descriptor() const { return journal_ ? journal_->descriptor() : -1; }

  /// Keeps `row` in place of one of equal name and repetition. Throws Error if it cannot be
  /// written.
  void add(Row row);
  /// The file, as it is written.
  std::string document(const Writer& writer) const;
  /// Writes the file, whole or not at all, and removes the journal. Leaves a file alone that would
  /// hold the same rows. The last call.
  void write(const Writer& writer);

 private:
  void load();
  void insert(Row row);

  std::filesystem::path path_;
  std::unique_ptr<Journal> journal_;
  Origin origin_;
  std::vector<Row> rows_;
  /// True if the file does not hold all rows.
  bool changed_ = false;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> index_;
};

}  // namespace benanza::harness
