#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// A profile of one thread in TAU's format ("templated_functions" text files, which its pprof and
/// paraprof read): timers in microseconds, and counts of events.
struct TauThread {
  struct Timer {
    std::string group{};
    double calls = 0;
    /// Number of calls made directly from it.
    double calls_inside = 0;
    double exclusive_microseconds = 0;
    /// Of recursive calls, counts only the outermost.
    double inclusive_microseconds = 0;
  };
  struct Event {
    double count = 0;
    double largest = 0;
    double smallest = 0;
    double sum = 0;
    double sum_of_squares = 0;
  };
  /// A readable name: "thread 4711", "GPU 0 stream 7".
  std::string title{};
  std::map<std::string, Timer> timers{};
  std::map<std::string, Event> events{};
};

/// Returns a list of threads for every process: first those of the host, with CUDA calls inside
/// NVTX ranges, then one per GPU stream, with kernels and copies. oneDNN's calls, whose thread is
/// unknown, form a process of their own. Everything in a thread is inside the timer ".TAU
/// application".
std::vector<std::vector<TauThread>> tau_threads(const RecordingReader& reader);

/// Returns the text of a file. Replaces quotation marks and line breaks in names.
std::string tau_text(const TauThread& thread);

/// Writes a recording's `profile.NODE.0.THREAD` files, a node per process, into `folder`, which is
/// created if needed. Throws Error, also if the folder already contains profiles.
void write_tau(const RecordingReader& reader, const std::filesystem::path& folder);

}  // namespace benanza
