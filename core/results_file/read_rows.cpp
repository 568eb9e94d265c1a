#include "core/results_file/read_rows.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "core/base/document.h"
#include "core/base/error.h"
#include "core/base/file_descriptor.h"
#include "core/base/text.h"
#include "core/results_file/row_splitter.h"

namespace benanza {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Size of one read; its rows are parsed as one batch, large enough for a thread of its own.
constexpr std::size_t read_bytes = std::size_t{1} << 20;

/// "peak_..." and "possible_..." members of the context, numbers or texts of numbers.
PeakValues peaks_of(const json& context) {
  PeakValues peaks;
  for (const auto& [name, value] : context.items()) {
    if (!name.starts_with("peak_") && !name.starts_with("possible_")) continue;
    if (value.is_number()) peaks[name] = value.get<double>();
    if (!value.is_string()) continue;
    if (const auto number = text::number<double>(value.get<std::string>())) peaks[name] = *number;
  }
  return peaks;
}

/// The positive numbers of a list, or of a text with spaces between them; empty if anything else is
/// in it.
std::vector<double> seconds_in(const json& value) {
  std::vector<double> seconds;
  const auto add = [&](double number) {
    if (number > 0 && std::isfinite(number)) seconds.push_back(number);
  };
  if (value.is_array()) {
    for (const json& one : value) {
      if (!one.is_number()) return {};
      add(one.get<double>());
    }
  } else if (value.is_string()) {
    const auto text = value.get<std::string>();
    const char* const stop = text.data() + text.size();
    for (const char* at = text.data(); at != stop;) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      double number = 0;
      const auto [end, error] = std::from_chars(at, stop, number);
      if (error != std::errc{} || (end != stop && *end != ' ')) return {};
      add(number);
      at = end;
    }
  }
  return seconds;
}

/// "anchor_<name>_seconds" members of the context.
AnchorTimes anchors_of(const json& context) {
  constexpr std::string_view prefix = "anchor_";
  constexpr std::string_view suffix = "_seconds";
  AnchorTimes anchors;
  for (const auto& [name, value] : context.items()) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    if (name.size() <= prefix.size() + suffix.size()) continue;
    std::vector<double> seconds = seconds_in(value);
    if (seconds.empty()) continue;
    anchors[name.substr(prefix.size(), name.size() - prefix.size() - suffix.size())] =
        std::move(seconds);
  }
  return anchors;
}

Origin read_origin(const json& root, const FileOfKind& file) {
  return file.guard([&]() -> Origin {
    const json& context = root.at("context");
    const auto ours = context.find("benanza");
    if (ours == context.end()) throw file.error("was not written by a benanza suite");
    file.require_schema(*ours, results_schema);
    return {.backend = ours->at("backend").get<std::string>(),
            .system = ours->at("system").get<System>(),
            .peaks = peaks_of(context),
            .anchors = anchors_of(context),
            .file = file.path()};
  });
}

std::vector<Row> parse_rows(const RowSplitter::Rows& rows) {
  std::vector<Row> parsed;
  parsed.reserve(rows.ends.size());
  RowParser parser;
  std::size_t begin = 0;
  for (const std::size_t end : rows.ends) {
    if (auto row = parser.parse(rows.text, begin, end)) {
      parsed.push_back(std::move(*row));
    }
    begin = end;
  }
  return parsed;
}

/// Parses batches concurrently and passes their rows on in file order.
class Pipeline {
 public:
  Pipeline(const FileOfKind& file, const ResultsSink& sink) : file_(file), sink_(sink) {}

  void push(RowSplitter::Rows rows) {
    if (rows.ends.empty()) return;
    pending_.push_back(std::async(std::launch::async, parse_rows, std::move(rows)));
    const std::size_t most = 1 + std::max(2U, std::thread::hardware_concurrency());
    while (pending_.size() >= most) pop();
  }
  void drain() {
    while (!pending_.empty()) pop();
  }

 private:
  void pop() {
    std::vector<Row> rows;
    try {
      rows = pending_.front().get();
    } catch (const Error& error) {
      throw file_.error(error.what());
    }
    pending_.pop_front();
    for (Row& row : rows) sink_.add(std::move(row));
  }

  FileOfKind file_;
  const ResultsSink& sink_;
  std::deque<std::future<std::vector<Row>>> pending_;
};

using RowName = std::pair<std::string, std::int64_t>;

RowName name_of(const Row& row) { return {to_string(row.variant), row.repetition}; }

/// Empty if the line is no origin, or of another schema.
std::optional<Origin> parse_origin(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.at("schema") != results_schema) return std::nullopt;
    return Origin{.backend = json.at("backend"), .system = json.at("system").get<System>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Without those that are still being written.
std::vector<std::string> complete_lines(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  return lines;
}

}  // namespace

void read_rows(const fs::path& path, const ResultsSink& sink, std::string_view remedy) {
  const FileOfKind file(path, "a results file", remedy);
  const FileDescriptor descriptor = open_to_read(path);
  RowSplitter splitter;
  Pipeline pipeline(file, sink);
  bool begun = false;
  bool empty = true;
  std::string part(read_bytes, '\0');
  // Returns false at the end of the file.
  const auto read_part = [&] {
    ssize_t got = -1;
    do {
      got = ::read(descriptor.get(), part.data(), part.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error(path.string() + ": cannot read: " + std::strerror(errno));
    splitter.feed(std::string_view(part).substr(0, static_cast<std::size_t>(got)));
    return got > 0;
  };
  // Read and split the next part while the rows of earlier parts are parsed.
  for (std::future<bool> reading = std::async(std::launch::async, read_part); reading.get();) {
    empty = false;
    if (!begun && !splitter.head().empty()) {
      sink.begin(read_origin(file.parsed(splitter.head()), file));
      begun = true;
    }
    RowSplitter::Rows rows = splitter.take();
    reading = std::async(std::launch::async, read_part);
    pipeline.push(std::move(rows));
  }
  if (empty) throw file.error("is empty, not a results file");
  const json root = file.parsed(splitter.skeleton());
  const Origin origin = read_origin(root, file);
  const auto rows = root.find("benchmarks");
  if (rows == root.end()) throw file.error("is not a results file: key 'benchmarks' not found");
  if (!rows->is_array() || rows->size() != splitter.count()) {
    throw file.error("is not a results file: \"benchmarks\" is not a list of rows");
  }
  if (!begun) sink.begin(origin);
  pipeline.push(splitter.take());
  pipeline.drain();
}

std::filesystem::path journal_of(const std::filesystem::path& results) {
  return results.string() + ".journal";
}

std::optional<JournalRows> parse_journal(std::span<const std::string> lines) {
  if (lines.empty()) return std::nullopt;
  std::optional<Origin> origin = parse_origin(lines.front());
  if (!origin) return std::nullopt;
  JournalRows journal{.origin = *std::move(origin)};
  std::map<RowName, std::size_t> places;
  RowParser parser;
  for (const std::string& line : lines.subspan(1)) {
    try {
      std::optional<Row> row = parser.parse(line);
      if (!row) continue;
      const auto [place, is_new] = places.try_emplace(name_of(*row), journal.rows.size());
      if (is_new) {
        journal.rows.push_back(std::move(*row));
      } else {
        journal.rows[place->second] = std::move(*row);
      }
    } catch (const Error&) {
      // Damaged.
    }
  }
  return journal;
}

std::optional<JournalRows> read_journal(const std::filesystem::path& results) {
  std::optional<JournalRows> journal = parse_journal(complete_lines(journal_of(results)));
  if (!journal || journal->rows.empty()) return std::nullopt;
  journal->origin.file = results;
  return journal;
}

void read_rows_and_journal(const std::filesystem::path& results, const ResultsSink& sink,
                           std::string_view remedy) {
  std::optional<JournalRows> journal = read_journal(results);
  if (!journal) return read_rows(results, sink, remedy);
  std::set<RowName> replaced;
  for (const Row& row : journal->rows) replaced.insert(name_of(row));
  if (std::filesystem::exists(results)) {
    read_rows(results,
              {.begin = sink.begin,
               .add =
                   [&](Row&& row) {
                     if (!replaced.contains(name_of(row))) sink.add(std::move(row));
                   }},
              remedy);
  } else {
    sink.begin(journal->origin);
  }
  for (Row& row : journal->rows) sink.add(std::move(row));
}

}  // namespace benanza
