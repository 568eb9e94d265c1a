#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording/recording.h"
#include "suites/record/environment.h"

namespace benanza::record {

/// What becomes of a line of the program's output.
enum class Taken { no, yes };

/// What a user wants of a recording.
struct Wishes {
  enum class Gpu { automatic, on, off };
  Gpu gpu = Gpu::automatic;
  /// Of GPU work, only what is launched inside of NVTX ranges of this name; empty: all.
  std::string range{};
  /// Graphs are timed as a whole, not by node.
  bool whole_graphs = false;
  /// The logs of NVIDIA's libraries, too.
  bool library_logs = false;
};

/// A run that is about to begin.
struct Plan {
  /// Of its own, and there; removed at the end.
  std::filesystem::path folder{};
  Wishes wishes{};
};

/// One library's way of telling what it is called for. A new one is one file,
/// sources/<name>.cpp, which defines make_<name>_source().
class Source {
 public:
  virtual ~Source() = default;
  /// Makes the library talk, before the program starts. Throws Error where a wish cannot be met.
  virtual void prepare(Environment& environment, const Plan& plan) = 0;
  /// Whether what follows is to be recorded. First called before the program starts.
  virtual void set_active(bool active) { static_cast<void>(active); }
  /// Called at least four times a second, and after the program's end. `start` as below. Throws
  /// Error.
  virtual void poll(double start, RecordingWriter& writer) {
    static_cast<void>(start);
    static_cast<void>(writer);
  }
  /// What poll() gave is in the file.
  virtual void saved() {}
  /// After the program's end: lines for people.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// How the lines begin that the library prints to the program's standard output.
  virtual std::vector<std::string_view> markers() const { return {}; }
  /// A line that begins with one of the markers, without its end. `start` is the run's, in seconds
  /// since 1970; `arrived` is in seconds from there. Both are empty where a log was kept that does
  /// not tell. Taken::no: it is the program's own.
  virtual Taken take(std::string_view line, std::optional<double> start,
                     std::optional<double> arrived, RecordingWriter& writer) {
    static_cast<void>(line);
    static_cast<void>(start);
    static_cast<void>(arrived);
    static_cast<void>(writer);
    return Taken::no;
  }
  /// The lines were asked for before, and are passed on, too.
  virtual bool passes_lines() const { return false; }
};

/// All of them. Generated from the files of sources/.
std::vector<std::unique_ptr<Source>> sources();

}  // namespace benanza::record
