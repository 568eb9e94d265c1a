#include "suites/harness/result_store.h"

#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza {

ResultStore::ResultStore(std::filesystem::path path, Source source, bool fresh)
    : path_(std::move(path)), results_{.source = std::move(source), .rows = {}} {
  if (path_.empty()) return;
  if (path_.has_parent_path()) make_directories(path_.parent_path());
  if (std::error_code error; std::filesystem::is_directory(path_, error)) {
    throw Error(path_.string() + ": is a folder, not a file");
  }
  journal_ = std::make_unique<Journal>(path_.string() + ".journal");
  if (fresh) {
    std::error_code error;
    std::filesystem::remove(path_, error);
    if (error) throw Error(path_.string() + ": cannot remove: " + error.message());
    journal_->clear();
  } else {
    load();
  }
  if (journal_->lines().empty()) journal_->append(to_line(results_.source));
}

void ResultStore::load() {
  if (std::error_code error; std::filesystem::exists(path_, error)) {
    Results found = parse_document(read_file(path_), path_);
    require_same_source(found.source, results_.source, path_);
    for (Row& row : found.rows) insert(std::move(row));
  }
  const std::vector<std::string>& lines = journal_->lines();
  if (lines.empty()) return;
  const std::optional<Source> source = parse_source(lines.front());
  const std::string path = path_.string() + ".journal";
  if (!source) throw Error(path + ": not a journal of this program; --fresh starts it over");
  require_same_source(*source, results_.source, path);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    // A damaged line is a measurement to take again.
    if (std::optional<Row> row = parse_row(lines[i])) insert(std::move(*row));
  }
  changed_ = lines.size() > 1;
}

void ResultStore::insert(Row row) {
  const auto [entry, added] = index_.try_emplace({row.name, row.repetition}, results_.rows.size());
  if (added) {
    results_.rows.push_back(std::move(row));
  } else {
    results_.rows[entry->second] = std::move(row);
  }
}

std::int64_t ResultStore::finished(const std::string& name, std::int64_t wanted) const {
  std::int64_t count = 0;
  while (count < wanted) {
    const Row* row = find(name, count);
    if (row == nullptr) break;
    if (settled(row->outcome)) return wanted;
    if (row->outcome.status != Status::ok) break;
    ++count;
  }
  return count;
}

const Row* ResultStore::find(const std::string& name, std::int64_t repetition) const {
  const auto entry = index_.find({name, repetition});
  return entry == index_.end() ? nullptr : &results_.rows[entry->second];
}

void ResultStore::add(Row row) {
  if (journal_) journal_->append(to_line(row));
  insert(std::move(row));
  changed_ = true;
}

std::string ResultStore::document(const Writer& writer) const {
  return to_document(results_, writer);
}

void ResultStore::write(const Writer& writer) {
  if (!journal_) return;
  if (changed_) write_file(path_, document(writer));
  journal_->clear();
  journal_.reset();
}

}  // namespace benanza
