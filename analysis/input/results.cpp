#include "analysis/input/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/input/database.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"
#include "core/results_file/write_rows.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

/// Collects the rows and systems of several files.
class Collector {
 public:
  explicit Collector(const std::optional<KeySet>& wanted) : wanted_(wanted) {}

  void begin(const Origin& origin) {
    require_same_system(origins_.try_emplace(origin.backend, origin).first->second, origin);
    results_.systems[origin.backend] = origin.system;
    for (const auto& [name, value] : origin.peaks) {
      double& held = results_.peaks[origin.backend][name];
      held = std::max(held, value);
    }
    if (!origin.anchors.empty()) add_anchors(results_.anchors[origin.backend], origin.anchors);
  }
  void add(Row&& row) {
    numbers_repetitions_ = numbers_repetitions_ || row.repetition > 0;
    if (wanted_ && !wanted_->contains(row.variant.key)) return;
    switch (place_of(row)) {
      case Place::nowhere:
        results_.measurements.add(std::move(row), sources_);
        break;
      case Place::elsewhere:
        break;
      case Place::here:
        // Without samples to tell them apart, it is a copy only if the file numbers repetitions.
        if (row.samples.size() < 2 && row.repetition == 0) {
          unsure_.push_back(std::move(row));
        } else {
          leave_out(row);
        }
    }
  }
  /// Starts the next file or database.
  void begin_source(const fs::path& path) {
    end_source();
    ++sources_;
    source_ = path.string();
  }
  Results take() {
    end_source();
    return std::move(results_);
  }

 private:
  /// Where a row equal to another one is.
  enum class Place { nowhere, elsewhere, here };

  /// Returns the place of an equal row that was added before.
  Place place_of(const Row& row) {
    const std::size_t problem = std::hash<std::string>{}(row.variant.key);
    const auto [held, added] = seen_.try_emplace({problem, row_hash(row)}, sources_);
    if (added) return Place::nowhere;
    return held->second == sources_ ? Place::here : Place::elsewhere;
  }

  void leave_out(const Row& row) {
    if (doubled_++ == 0) first_doubled_ = to_string(row.variant);
  }

  void end_source() {
    for (Row& row : std::exchange(unsure_, {})) {
      if (numbers_repetitions_) {
        leave_out(row);
      } else {
        results_.measurements.add(std::move(row), sources_);
      }
    }
    numbers_repetitions_ = false;
    if (doubled_ == 0) return;
    const std::size_t count = std::exchange(doubled_, 0);
    results_.doubled +=
        fmt::format("{}{}: {}, as {}, {} there more than once and {} once",
                    results_.doubled.empty() ? "" : "\n", source_,
                    count == 1 ? "a row" : fmt::format("{} rows", count), first_doubled_,
                    count == 1 ? "is" : "are", count == 1 ? "counts" : "count");
  }

  const std::optional<KeySet>& wanted_;
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
  std::string source_;
  /// The source has a repetition other than the first.
  bool numbers_repetitions_ = false;
  /// Rows that may be copies of others in this source.
  std::vector<Row> unsure_;
  /// The count of rows that are copies of others in this source, and the first of them.
  std::size_t doubled_ = 0;
  std::string first_doubled_;
};

void read_database(const fs::path& path, const std::optional<KeySet>& wanted,
                   Collector& collector) {
  Database database(path);
  for (const Origin& origin : database.origins()) collector.begin(origin);
  const auto add = [&](Row&& row) { collector.add(std::move(row)); };
  if (!wanted) return database.all("", add);
  database.find(*wanted, add);
}

void require_one_gpu(const std::map<std::string, System>& systems) {
  std::map<std::string, std::string> devices;
  for (const auto& [backend, system] : systems) {
    if (kind_of(system) == DeviceKind::gpu) devices.try_emplace(system.at("device"), backend);
  }
  if (devices.size() < 2) return;
  const auto& [first, one] = *devices.begin();
  const auto& [second, other] = *std::next(devices.begin());
  throw Error(
      fmt::format("results of two devices: {} of {}, {} of {}; give those of one, or say "
                  "--backend {}",
                  one, first, other, second, one));
}

namespace fs = std::filesystem;

void write_backend(Database& database, const Origin& origin, const fs::path& path) {
  const fs::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  try {
    std::ofstream out(temporary, std::ios::binary);
    RowWriter writer(out, {{"executable", "benanza-analyze db export"}}, origin);
    database.all(origin.backend, [&](Row&& row) { writer.add(row); });
    writer.finish();
    out.close();
    if (!out) throw Error(path.string() + ": cannot write: " + std::strerror(errno));
    fs::rename(temporary, path);
  } catch (const fs::filesystem_error& error) {
    throw Error(path.string() + ": cannot write: " + error.code().message());
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
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
      if (!entry.is_regular_file() || is_model) continue;
      if (name.extension() == ".json") found.push_back(entry);
      // Of a suite that runs, or was killed, before it has written its file.
      const fs::path results = fs::path(entry.path()).replace_extension();
      const bool is_journal = name.extension() == ".journal" && results.extension() == ".json";
      if (is_journal && !fs::exists(results) && read_journal(results)) found.push_back(results);
    }
    if (found.empty()) {
      throw Error(path.string() + ": no results (*.json) in it; run the benchmarks first");
    }
    std::ranges::sort(found);
    for (const fs::path& file : found) take(file);
  }
  return files;
}

Results read_results(const std::vector<fs::path>& paths, const std::optional<KeySet>& wanted) {
  const std::vector<fs::path> files = result_files(paths);
  Collector collector(wanted);
  for (const fs::path& path : files) {
    collector.begin_source(path);
    if (is_database(path)) {
      read_database(path, wanted, collector);
    } else {
      read_rows_and_journal(path, {.begin = [&](const Origin& origin) { collector.begin(origin); },
                                   .add = [&](Row&& row) { collector.add(std::move(row)); }});
    }
  }
  return collector.take();
}

DeviceKind kind_of(const System& system) {
  return system.contains("device") ? DeviceKind::gpu : DeviceKind::processor;
}

namespace {

/// Returns the sentence that says what was left out; empty if nothing was.
std::string leave_one_device(Results& results, const std::string& backend,
                             std::optional<DeviceKind> wanted) {
  const auto asked = results.systems.find(backend);
  if (asked != results.systems.end()) wanted = kind_of(asked->second);
  std::set<std::string> processors;
  std::set<std::string> gpus;
  for (const auto& [backend, system] : results.systems) {
    (kind_of(system) == DeviceKind::gpu ? gpus : processors).insert(backend);
  }
  if (asked == results.systems.end()) require_one_gpu(results.systems);
  std::string note;
  if (!processors.empty() && !gpus.empty()) {
    const bool gpu = wanted.value_or(DeviceKind::gpu) == DeviceKind::gpu;
    const std::set<std::string>& others = gpu ? processors : gpus;
    note = fmt::format("left out: results of {} ({}); --backend {} answers for {}",
                       fmt::join(others, ", "), gpu ? "a processor" : "a GPU", *others.begin(),
                       others.size() == 1 ? "it" : "one of them");
    results.measurements.remove(others);
    for (const std::string& other : others) {
      results.systems.erase(other);
      results.peaks.erase(other);
      results.anchors.erase(other);
    }
  }
  return note;
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && !line.empty()) text += '\n';
  text += line;
}

}  // namespace

std::string keep_one_device(Results& results, const std::string& backend,
                            std::optional<DeviceKind> wanted) {
  std::string note = results.doubled;
  add_line(note, leave_one_device(results, backend, wanted));
  return note;
}

std::string keep_one_device(std::span<Results* const> all, const std::string& backend) {
  const bool gpus = std::ranges::all_of(all, [](const Results* results) {
    return std::ranges::any_of(
        results->systems, [](const auto& one) { return kind_of(one.second) == DeviceKind::gpu; });
  });
  std::string note;
  std::string left_out;
  for (Results* const results : all) {
    add_line(note, results->doubled);
    std::string one =
        leave_one_device(*results, backend, gpus ? DeviceKind::gpu : DeviceKind::processor);
    if (left_out.empty()) left_out = std::move(one);
  }
  add_line(note, left_out);
  return note;
}

Results of_one_device(Results results, const std::string& backend,
                      std::optional<DeviceKind> wanted) {
  keep_one_device(results, backend, wanted);
  return results;
}

std::vector<fs::path> export_results(Database& database, const fs::path& folder) {
  make_directories(folder);
  std::vector<fs::path> files;
  for (const Origin& origin : database.origins()) {
    files.push_back(folder / (origin.backend + ".json"));
    write_backend(database, origin, files.back());
  }
  return files;
}

}  // namespace benanza::analysis
