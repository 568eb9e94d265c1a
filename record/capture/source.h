#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/logs/shared/log.h"
#include "record/store/recording.h"

namespace benanza::record {

/// Whether a source takes a line of the program's output.
enum class Taken { no, yes, yes_but_kept_in_output };

/// The user's options for a recording.
struct RecordOptions {
  enum class Gpu { automatic, on, off };
  Gpu gpu = Gpu::automatic;
  /// Record only GPU work launched inside NVTX ranges of this name; empty: all.
  std::string range{};
  /// Time graphs as a whole, not by node.
  bool whole_graphs = false;
  /// Record what is allocated and freed, too.
  bool memory = false;
  /// Counters of kernels, by CUPTI's names; if there are any, nothing else of GPUs is recorded.
  std::vector<std::string> kernel_counters{};
  /// Arithmetic over them: name and expression.
  std::vector<std::pair<std::string, std::string>> kernel_metrics{};
  /// Record the logs of NVIDIA's libraries, too.
  bool library_logs = false;
};

/// A run that is about to start.
struct RunSetup {
  /// An existing folder used only by this run; removed at its end.
  std::filesystem::path folder{};
  RecordOptions options{};
};

/// A way of recording a program. To add one, add a file sources/<name>.cpp that defines
/// make_<name>_source(). What a library logs is no source of its own: see record/logs.
class Source {
 public:
  virtual ~Source() = default;
  /// Enables the source before the program starts. Throws Error if an option cannot be satisfied.
  virtual void prepare(Environment& environment, const RunSetup& setup) = 0;
  /// Sets whether subsequent calls are to be recorded. First called before the program starts.
  virtual void set_active(bool /*active*/) {}
  /// Called at least four times a second, and after the program has exited. `start` as in take().
  /// Throws Error.
  virtual void poll(double /*start*/, RecordingWriter& /*writer*/) {}
  /// Called when everything from poll() has been written to the file.
  virtual void saved() {}
  /// Messages for the user, after the program has exited.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Prefixes of the lines that the library prints to the program's standard output.
  virtual std::vector<std::string_view> markers() const { return {}; }
  /// Takes a line that starts with one of the markers, without its line break. `start` is the run's
  /// start in seconds since 1970; `arrived` is in seconds since then. Both are empty for an
  /// imported log. Returns Taken::no if the line is the program's own.
  virtual Taken take(std::string_view /*line*/, std::optional<double> /*start*/,
                     std::optional<double> /*arrived*/, RecordingWriter& /*writer*/) {
    return Taken::no;
  }
};

/// All sources. Generated from the files of sources/.
std::vector<std::unique_ptr<Source>> sources();

}  // namespace benanza::record
