#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/recording/recording.h"

namespace benanza::analysis {

/// A profile of one thread as TAU writes it (its "templated_functions" text files, which its pprof
/// and paraprof read): timers in microseconds, and what was counted at events.
struct TauThread {
  struct Timer {
    std::string group{};
    double calls = 0;
    /// Calls made right from it.
    double calls_inside = 0;
    double exclusive_microseconds = 0;
    /// Of calls inside of calls of the same name only the outermost.
    double inclusive_microseconds = 0;
  };
  struct Event {
    double count = 0;
    double largest = 0;
    double smallest = 0;
    double sum = 0;
    double sum_of_squares = 0;
  };
  /// Who it is, for people: "thread 4711", "GPU 0 stream 7".
  std::string title{};
  std::map<std::string, Timer> timers{};
  std::map<std::string, Event> events{};
};

/// Of every process a list of threads: first those of the host, with calls of CUDA inside of NVTX
/// ranges, then a thread for every stream of a GPU, with kernels and copies. Calls of oneDNN, whose
/// thread is not known, are a process of their own. All of a thread is inside of one timer,
/// ".TAU application".
std::vector<std::vector<TauThread>> tau_threads(const RecordingReader& reader);

/// The text of a file. Quotation marks and line ends in names are replaced.
std::string tau_text(const TauThread& thread);

/// Writes `profile.NODE.0.THREAD` of a recording, a node for each process, into `folder`, which is
/// made if it is not there. Throws Error, also where profiles are in it already.
void write_tau(const RecordingReader& reader, const std::filesystem::path& folder);

}  // namespace benanza::analysis
