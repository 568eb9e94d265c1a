#include "suites/harness/keep/result_store.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"
#include "core/results_file/write_rows.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {
namespace {

constexpr const char* remedy = "--fresh starts it over, or name another file";

/// Throws Error naming `path` and the first field that differs, if rows of both origins may not be
/// in the same file.
void require_same_origin(const Origin& found, const Origin& wanted,
                         const std::filesystem::path& path) {
  const auto fail = [&](const std::string& field, const std::string& there,
                        const std::string& here) {
    return Error(path.string() + ": measured with " + field + " = \"" + there + "\", now it is \"" +
                 here + "\"; " + remedy);
  };
  if (found.backend != wanted.backend) throw fail("backend", found.backend, wanted.backend);
  for (const auto& [field, there, here] : contradictions(found.system, wanted.system)) {
    throw fail(field, *there, *here);
  }
}

}  // namespace

ResultStore::ResultStore(std::filesystem::path path, Origin origin, bool fresh)
    : path_(std::move(path)), origin_(std::move(origin)) {
  if (path_.empty()) return;
  if (path_.has_parent_path()) make_directories(path_.parent_path());
  if (std::error_code error; std::filesystem::is_directory(path_, error)) {
    throw Error(path_.string() + ": is a folder, not a file");
  }
  journal_ = std::make_unique<Journal>(journal_of(path_));
  if (fresh) {
    std::error_code error;
    std::filesystem::remove(path_, error);
    if (error) throw Error(path_.string() + ": cannot remove: " + error.message());
    journal_->clear();
  } else {
    load();
  }
  if (journal_->lines().empty()) journal_->append(origin_json(origin_).dump());
  for (const Row& row : rows_) process_ = std::max(process_, row.process_number() + 1);
  first_process_ = process_;
}

void ResultStore::load() {
  if (std::error_code error; std::filesystem::exists(path_, error)) {
    read_rows(path_,
              {.begin =
                   [&](const Origin& found) {
                     require_same_origin(found, origin_, path_);
                     earlier_anchors_ = found.anchors;
                   },
               .add = [&](Row&& row) { insert(std::move(row)); }},
              remedy);
  }
  const std::vector<std::string>& lines = journal_->lines();
  if (lines.empty()) return;
  const std::string path = journal_of(path_).string();
  std::optional<JournalRows> found = parse_journal(lines);
  if (!found) throw Error(path + ": not a journal of this program; --fresh starts it over");
  require_same_origin(found->origin, origin_, path);
  for (Row& row : found->rows) insert(std::move(row));
  changed_ = lines.size() > 1;
}

void ResultStore::insert(Row row) {
  const auto [entry, added] =
      index_.try_emplace({to_string(row.variant), row.repetition}, rows_.size());
  if (added) {
    rows_.push_back(std::move(row));
  } else {
    rows_[entry->second] = std::move(row);
  }
}

std::int64_t ResultStore::finished(const std::string& name, std::int64_t wanted) const {
  std::int64_t count = 0;
  int outclassed_in_a_row = 0;
  while (count < wanted) {
    const Row* row = find(name, count);
    if (row == nullptr) break;
    if (settled(*row)) return wanted;
    if (row->status != Status::ok) return is_of_this_run(*row) ? wanted : count;
    // Company slows a call down by any factor.
    outclassed_in_a_row = outclassed(*row) && !row->had_company() ? outclassed_in_a_row + 1 : 0;
    if (outclassed_in_a_row == 2) return wanted;
    ++count;
  }
  return count;
}

const Row* ResultStore::find(const std::string& name, std::int64_t repetition) const {
  const auto entry = index_.find({name, repetition});
  return entry == index_.end() ? nullptr : &rows_[entry->second];
}

std::vector<Row> ResultStore::ok_rows(const std::string& name, std::int64_t repetitions) const {
  std::vector<Row> rows;
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    const Row* const row = find(name, repetition);
    if (row != nullptr && row->status == Status::ok) rows.push_back(*row);
  }
  return rows;
}

void ResultStore::add(Row row) {
  if (journal_) journal_->append(row_text(row));
  insert(std::move(row));
  changed_ = true;
}

std::size_t ResultStore::remove(const std::function<bool(const Row&)>& unwanted) {
  const std::size_t removed = std::erase_if(rows_, unwanted);
  if (removed == 0) return 0;
  changed_ = true;
  index_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    index_[{to_string(rows_[i].variant), rows_[i].repetition}] = i;
  }
  return removed;
}

std::string ResultStore::document(const Writer& writer) const {
  std::map<std::string, RowPosition, std::less<>> positions;
  for (const Row& row : rows_) {
    const auto next = static_cast<std::int64_t>(positions.size());
    const auto [position, added] =
        positions.try_emplace(to_string(row.variant), RowPosition{.family = next});
    if (!added) ++position->second.repetitions;
  }
  std::ostringstream text;
  RowWriter rows(text, machine_context(writer), origin_);
  for (const Row& row : rows_) rows.add(row, positions.at(to_string(row.variant)));
  rows.finish();
  return std::move(text).str();
}

void ResultStore::write(const Writer& writer) {
  if (!journal_) return;
  if (changed_) write_file(path_, document(writer));
  journal_->clear();
  journal_.reset();
}

}  // namespace benanza::harness
