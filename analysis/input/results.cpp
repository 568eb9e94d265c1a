#include "analysis/input/results.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "analysis/input/database.h"
#include "core/base/error.h"
#include "core/results_file/read_rows.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

/// Collects the rows and systems of several files.
class Collector {
 public:
  /// `sources`: the number of files and databases.
  Collector(const std::optional<KeySet>& wanted, std::size_t sources)
      : wanted_(wanted), has_several_sources_(sources > 1) {}

  void begin(const Origin& origin) {
    require_same_system(origins_.try_emplace(origin.backend, origin).first->second, origin);
    results_.systems[origin.backend] = origin.system;
    for (const auto& [name, value] : origin.peaks) {
      double& held = results_.peaks[origin.backend][name];
      held = std::max(held, value);
    }
  }
  void add(Row&& row) {
    if (wanted_ && !wanted_->contains(row.variant.key)) return;
    if (has_several_sources_ && is_known(row)) return;
    results_.measurements.add(std::move(row), sources_);
  }
  /// Starts the next file or database.
  void next_source() { ++sources_; }
  Results take() { return std::move(results_); }

 private:
  /// True if an earlier source has the same row.
  bool is_known(const Row& row) {
    const std::size_t problem = std::hash<std::string>{}(row.variant.key);
    const auto [held, added] = seen_.try_emplace({problem, row_hash(row)}, sources_);
    return !added && held->second != sources_;
  }

  const std::optional<KeySet>& wanted_;
  bool has_several_sources_;
  Results results_;
  std::map<std::string, Origin> origins_;
  /// Hashes of problem and row. Collisions of both for different rows are not expected.
  using RowId = std::pair<std::size_t, std::int64_t>;
  struct HashOfId {
    std::size_t operator()(const RowId& id) const {
      return id.first ^ static_cast<std::size_t>(id.second);
    }
  };
  /// The file or database in which each row was first seen.
  std::unordered_map<RowId, std::size_t, HashOfId> seen_;
  std::size_t sources_ = 0;
};

void read_database(const fs::path& path, const std::optional<KeySet>& wanted,
                   Collector& collector) {
  Database database(path);
  for (const Origin& origin : database.origins()) collector.begin(origin);
  const auto add = [&](Row&& row) { collector.add(std::move(row)); };
  if (!wanted) return database.all("", add);
  database.find(*wanted, add);
}

}  // namespace

std::vector<fs::path> result_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  const auto take = [&](const fs::path& path) {
    if (seen.insert(fs::weakly_canonical(path)).second) files.push_back(path);
  };
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      take(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      // benanza-generate may have written the suite's models into the same folder.
      const fs::path name = entry.path().filename();
      const bool is_model = name.stem().extension() == ".graph";
      if (entry.is_regular_file() && name.extension() == ".json" && !is_model) {
        found.push_back(entry);
      }
    }
    if (found.empty()) {
      throw Error(path.string() + ": no results (*.json) in it; run the benchmarks first");
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) take(file);
  }
  return files;
}

Results read_results(const std::vector<fs::path>& paths, const std::optional<KeySet>& wanted) {
  const std::vector<fs::path> files = result_files(paths);
  Collector collector(wanted, files.size());
  for (const fs::path& path : files) {
    collector.next_source();
    if (is_database(path)) {
      read_database(path, wanted, collector);
    } else {
      read_rows(path, {.begin = [&](const Origin& origin) { collector.begin(origin); },
                       .add = [&](Row&& row) { collector.add(std::move(row)); }});
    }
  }
  return collector.take();
}

}  // namespace benanza::analysis
