#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"
#include "suites/harness/keep/journal.h"
#include "suites/harness/machine_context.h"

namespace benanza::harness {

/// All measurements of one results file, from earlier runs and from this one. A row is on disk, in
/// `<file>.journal`, when add() returns; write() merges the journal into the file.
class ResultStore {
 public:
  /// If `path` is empty, rows are kept in memory only. `fresh` discards existing rows. Throws Error
  /// if the file is not a results file, was measured on another system, or is in use by another
  /// process.
  ResultStore(std::filesystem::path path, Origin origin, bool fresh);

  /// The number of this process, Row::process of its rows: one more than that of any row so far.
  std::int64_t process() const { return process_; }
  /// The number of the first process of this run; that of this one unless set.
  std::int64_t first_process() const { return first_process_; }
  void set_first_process(std::int64_t process) { first_process_ = process; }
  /// Returns true if a process of this run measured the row.
  bool is_of_this_run(const Row& row) const { return row.process_number() >= first_process_; }

  /// Returns the number of repetitions of `name` that need not run again: those that are ok, or
  /// `wanted` if one of them is settled(), two in a row were outclassed without company (a single
  /// one may have been disturbed all the same), or one was incorrect or failed in this run. Rows of
  /// earlier runs that were incorrect or failed are run again.
  std::int64_t finished(const std::string& name, std::int64_t wanted) const;
  /// Returns the row, or null if there is none.
  const Row* find(const std::string& name, std::int64_t repetition) const;
  /// Those of the first `repetitions` rows of `name` that are ok.
  std::vector<Row> ok_rows(const std::string& name, std::int64_t repetitions) const;

  const std::vector<Row>& rows() const { return rows_; }
  /// The anchors' times of earlier processes and runs whose rows are kept.
  const AnchorTimes& earlier_anchors() const { return earlier_anchors_; }

  /// The descriptor of a file to which a row, formatted by row_text(), may be appended if add()
  /// cannot be called any more, e.g. in a signal handler; negative if there is none.
  int journal_descriptor() const { return journal_ ? journal_->descriptor() : -1; }

  /// Adds `row`, replacing one of the same name and repetition. Throws Error if it cannot be
  /// written.
  void add(Row row);
  /// Removes the rows that are `unwanted`. Returns how many there were.
  std::size_t remove(const std::function<bool(const Row&)>& unwanted);
  /// The peaks for the context of the file; without it, those of the Writer only.
  void keep_peaks(PeakValues peaks) { origin_.peaks = std::move(peaks); }
  /// The contents of the file that write() would write.
  std::string document(const Writer& writer) const;
  /// Writes the file atomically and removes the journal. Does not rewrite a file that already holds
  /// the same rows. Must be the last call.
  void write(const Writer& writer);

 private:
  void load();
  void insert(Row row);

  std::filesystem::path path_;
  std::unique_ptr<Journal> journal_;
  Origin origin_;
  AnchorTimes earlier_anchors_;
  std::vector<Row> rows_;
  /// True if the file does not hold all rows.
  bool changed_ = false;
  std::int64_t process_ = 1;
  std::int64_t first_process_ = 1;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> index_;
};

}  // namespace benanza::harness
