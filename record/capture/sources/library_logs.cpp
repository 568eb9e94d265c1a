// What the libraries log of their calls: lines in the program's output, and one file for each
// process and library, read while it grows. The words of a call are stored as they are; what they
// mean is found out when the recording is read.
#include <chrono>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "record/capture/source.h"
#include "record/capture/tail.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

/// Logs contain local time without a time zone. Chooses the offset, a multiple of a quarter of an
/// hour, for which the result is closest to the time of reading the line.
double unix_time(double local_seconds, double now) {
  constexpr double quarter = 900;
  return local_seconds + std::round((now - local_seconds) / quarter) * quarter;
}

/// 42 of "cublaslt_42.log".
std::optional<std::int64_t> process_of_log(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  return text::number<std::int64_t>(std::string_view(stem).substr(stem.rfind('_') + 1));
}

/// `now`: seconds since 1970; needed for local times.
ArrivedCall arrived_call(LogEntry entry, std::optional<double> run_start,
                         std::optional<double> now) {
  ArrivedCall call{.text = std::move(entry.text),
                   .words = std::move(entry.words),
                   .process = entry.process,
                   .thread = entry.thread,
                   .milliseconds = entry.milliseconds};
  if (now && run_start) call.arrived = *now - *run_start;
  if (entry.started && run_start) {
    const double started =
        entry.is_local ? unix_time(*entry.started, now.value_or(*run_start)) : *entry.started;
    call.started = started - *run_start;
  }
  return call;
}

class LibraryLogsSource : public Source {
 public:
  void prepare(Environment& environment, const RunSetup& setup) override {
    for (Active& one : logs_) {
      if (one.log.on_request && !setup.options.library_logs) continue;
      one.state = one.log.switch_on(environment, setup.folder);
      if (one.log.markers.empty()) folder_ = setup.folder;
    }
  }

  void poll(double start, RecordingWriter& writer) override {
    if (folder_.empty()) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".log") files_.try_emplace(entry.path(), entry.path());
    }
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    for (auto& [path, file] : files_) {
      file.tail.read([&](std::string_view bytes) {
        return file.reader.feed(bytes, [&](LogEntry entry) {
          if (!entry.process) entry.process = file.process;
          writer.add(arrived_call(std::move(entry), start, now));
        });
      });
    }
  }

  void saved() override {
    for (auto& [path, file] : files_) file.tail.release();
  }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines;
    for (const Active& one : logs_) {
      lines.insert(lines.end(), one.state.remarks.begin(), one.state.remarks.end());
    }
    return lines;
  }

  std::vector<std::string_view> markers() const override {
    std::vector<std::string_view> list;
    for (const Active& one : logs_) {
      list.insert(list.end(), one.log.markers.begin(), one.log.markers.end());
    }
    return list;
  }

  Taken take(std::string_view line, std::optional<double> start, std::optional<double> arrived,
             RecordingWriter& writer) override {
    for (const Active& one : logs_) {
      auto entry = one.log.read_line == nullptr ? std::nullopt : one.log.read_line(line);
      if (!entry) continue;
      if (entry->kind == LogEntry::Kind::about_library) {
        writer.add_library(entry->text.source, entry->words);
      }
      if (entry->kind == LogEntry::Kind::call) {
        ArrivedCall call = arrived_call(std::move(*entry), start, std::nullopt);
        call.arrived = arrived;
        writer.add(call);
      }
      return one.state.keeps_lines ? Taken::yes_but_kept_in_output : Taken::yes;
    }
    return Taken::no;
  }

 private:
  struct Active {
    Log log;
    SwitchedOn state{};
  };
  struct File {
    explicit File(const std::filesystem::path& path) : process(process_of_log(path)), tail(path) {}
    /// Empty if the file's name does not end in a number.
    std::optional<std::int64_t> process;
    Tail tail;
    NvidiaLogReader reader;
  };

  static std::vector<Active> all() {
    std::vector<Active> list;
    for (const Log& log : library_logs()) list.push_back({log});
    return list;
  }

  std::vector<Active> logs_ = all();
  /// Of the files; empty if no log is in files.
  std::filesystem::path folder_;
  std::map<std::filesystem::path, File> files_;
};

}  // namespace

std::unique_ptr<Source> make_library_logs_source() { return std::make_unique<LibraryLogsSource>(); }

}  // namespace benanza::record
