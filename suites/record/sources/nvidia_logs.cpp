// The logs that cuDNN, cuBLAS and cuBLASLt write: the calls with their sizes. One file for each
// process and library, read while it grows.
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/api_log/api_log.h"
#include "core/api_log/call_memory.h"
#include "core/problem/precision.h"
#include "suites/record/source.h"
#include "suites/record/tail.h"

namespace benanza::record {
namespace {

constexpr std::string_view log_ending = ".log";

/// Logs contain local time without a time zone. Chooses the offset, a multiple of a quarter of an
/// hour, for which the result is closest to the time of reading the line.
double unix_time(double local_seconds, double now) {
  constexpr double quarter = 900;
  return local_seconds + std::round((now - local_seconds) / quarter) * quarter;
}

/// 42 of "cublaslt_42.log".
std::optional<std::int64_t> process_of(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t process = 0;
  const char* const begin = stem.data() + stem.rfind('_') + 1;
  const auto [end, error] = std::from_chars(begin, stem.data() + stem.size(), process);
  if (error != std::errc{} || end != stem.data() + stem.size()) return std::nullopt;
  return process;
}

class NvidiaLogsSource : public Source {
 public:
  void prepare(Environment& environment, const Plan& plan) override {
    if (!plan.wishes.library_logs) return;
    folder_ = plan.folder;
    const auto file = [&](const char* name) { return (folder_ / name).string() + "_%i.log"; };
    // If the user has enabled a log already, it stays where it is.
    const auto set = [&](const char* destination, std::string path,
                         std::initializer_list<std::pair<const char*, const char*>> switches) {
      if (environment.find(destination)) {
        taken_.insert(destination);
        return;
      }
      environment.set(destination, std::move(path));
      for (const auto& [name, value] : switches) environment.set(name, value);
    };
    set("CUDNN_LOGDEST_DBG", file("cudnn"),
        {{"CUDNN_LOGLEVEL_DBG", "3"}, {"CUDNN_LOGINFO_DBG", "1"}});
    set("CUBLAS_LOGDEST_DBG", file("cublas"), {{"CUBLAS_LOGINFO_DBG", "1"}});
    set("CUBLASLT_LOG_FILE", file("cublaslt"), {{"CUBLASLT_LOG_LEVEL", "2"}});
  }

  void set_active(bool active) override { is_active_ = active; }

  void poll(double start, RecordingWriter& writer) override {
    if (folder_.empty()) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().string().ends_with(log_ending))
        logs_.try_emplace(entry.path(), entry.path());
    }
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    for (auto& [path, log] : logs_) {
      log.tail.read([&](std::string_view bytes) {
        return log.reader.feed(bytes, [&](const LoggedCall& call) {
          if (!is_active_) return;
          ArrivedCall one = arrived(call, start, now);
          if (!one.process) one.process = log.process;
          writer.add(std::move(one));
        });
      });
    }
  }

  void saved() override {
    for (auto& [path, log] : logs_) log.tail.release();
  }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines;
    for (const std::string& name : taken_) {
      lines.push_back(name + " is set: that library's calls are logged there, not recorded");
    }
    return lines;
  }

 private:
  struct Log {
    explicit Log(const std::filesystem::path& file) : process(process_of(file)), tail(file) {}
    /// Empty if the file's name does not end in a number.
    std::optional<std::int64_t> process;
    Tail tail;
    ApiLogReader reader;
  };

  static ArrivedCall arrived(const LoggedCall& logged, double start, double now) {
    const LibraryCall& call = logged.call;
    ArrivedCall result{.text = {.source = call.library,
                                .engine = "gpu",
                                .kind = call.function,
                                .implementation = call.algorithm,
                                .auxiliary = call.detail,
                                .problem = call.problem},
                       .arrived = now - start,
                       .process = logged.process,
                       .thread = logged.thread};
    result.text.memory = to_string(CallMemory{.data = call.data, .layout = call.layout});
    // A resolution of one second would suggest an order of calls that is not known.
    if (logged.local_seconds && logged.is_precise) {
      result.started = unix_time(*logged.local_seconds, now) - start;
    }
    return result;
  }

  bool is_active_ = true;
  std::filesystem::path folder_;
  std::map<std::filesystem::path, Log> logs_;
  std::set<std::string> taken_;
};

}  // namespace

std::unique_ptr<Source> make_nvidia_logs_source() { return std::make_unique<NvidiaLogsSource>(); }

}  // namespace benanza::record
