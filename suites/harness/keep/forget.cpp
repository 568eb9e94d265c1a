#include "suites/harness/keep/forget.h"

#include <set>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/results_file/read_rows.h"
#include "suites/harness/keep/journal.h"
#include "suites/harness/keep/result_store.h"

namespace benanza::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view journal_suffix = ".journal";

/// The results files, also those of which only a journal exists yet.
std::set<fs::path> results_files(const fs::path& folder) {
  std::set<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string name = entry.path().string();
    if (name.ends_with(journal_suffix)) name.resize(name.size() - journal_suffix.size());
    if (name.ends_with(".json")) files.insert(name);
  }
  return files;
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw Error(from.string() + ": cannot rename: " + error.message());
}

/// Returns the new name of the file, or of its journal if there is only that.
fs::path move_aside(const fs::path& file) {
  fs::path target = file.string() + ".aside";
  const auto journal_of = [](const fs::path& path) {
    return fs::path(path.string() + std::string(journal_suffix));
  };
  for (int count = 2; fs::exists(target) || fs::exists(journal_of(target)); ++count) {
    target = file.string() + ".aside" + std::to_string(count);
  }
  const bool has_journal = fs::exists(journal_of(file));
  if (has_journal) move_file(journal_of(file), journal_of(target));
  if (!fs::exists(file)) return journal_of(target);
  move_file(file, target);
  return target;
}

/// `origin` with the peaks that the file holds.
Origin with_peaks_of(const fs::path& file, Origin origin) {
  if (!fs::exists(file)) return origin;
  read_rows(file, {.begin = [&](const Origin& found) { origin.peaks = found.peaks; },
                   .add = [](Row&&) {}});
  return origin;
}

/// Returns the number of rows removed.
std::size_t forget_in(const fs::path& file, const Origin& origin, const Writer& writer,
                      const std::function<bool(const Row&)>& unwanted) {
  // Opened first: it locks the file.
  ResultStore store(file, origin, false);
  store.keep_peaks(with_peaks_of(file, origin).peaks);
  const std::size_t removed = store.remove(unwanted);
  store.write(writer);
  if (store.rows().empty()) fs::remove(file);
  return removed;
}

}  // namespace

Forgotten forget(const fs::path& folder, const Origin& origin, const Writer& writer,
                 const std::function<bool(const Row&)>& unwanted) {
  Forgotten all;
  for (const fs::path& file : results_files(folder)) {
    try {
      const std::size_t removed = forget_in(file, origin, writer, unwanted);
      all.rows += removed;
      all.files += removed > 0 ? 1 : 0;
    } catch (const InUse&) {
      throw;
    } catch (const Error& error) {
      const std::string reason = error.what();
      all.aside.push_back(reason.substr(0, reason.find(';')) + "; it is now " +
                          move_aside(file).string());
    }
  }
  return all;
}

}  // namespace benanza::harness
