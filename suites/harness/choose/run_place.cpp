#include "suites/harness/choose/run_place.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::harness {
namespace {

constexpr const char* peaks_variable = "BENANZA_PEAKS";
constexpr const char* own_program = "/proc/self/exe";

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/// The command line before any flag was taken out of it, without this process' place.
std::vector<std::string> words_of_program() {
  std::vector<std::string> words;
  std::istringstream text(read_file("/proc/self/cmdline"));
  const std::string place = std::string(place_flag) + '=';
  for (std::string word; std::getline(text, word, '\0');) {
    if (!word.starts_with(place)) words.push_back(word);
  }
  return words;
}

/// An OpenMP library that binds threads has bound this one before main(), and a program inherits
/// that from the thread that starts it.
void allow_all_processors_of_openmp() {
  const auto count_places =
      reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_num_places"));
  const auto count_processors =
      reinterpret_cast<int (*)(int)>(::dlsym(RTLD_DEFAULT, "omp_get_place_num_procs"));
  const auto list_processors =
      reinterpret_cast<void (*)(int, int*)>(::dlsym(RTLD_DEFAULT, "omp_get_place_proc_ids"));
  if (count_places == nullptr || count_processors == nullptr || list_processors == nullptr) return;
  std::vector<int> processors;
  for (int place = 0; place < count_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, count_processors(place))));
    if (ids.empty()) continue;
    list_processors(place, ids.data());
    processors.insert(processors.end(), ids.begin(), ids.end());
  }
  if (processors.empty()) return;
  const auto most = static_cast<std::size_t>(*std::ranges::max_element(processors)) + 1;
  cpu_set_t* const set = CPU_ALLOC(most);
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(bytes, set);
  for (const int processor : processors) {
    CPU_SET_S(static_cast<std::size_t>(processor), bytes, set);
  }
  ::sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

/// Nothing that this process has opened, a driver's files above all, is left to the next one.
void close_files_at_start() {
#ifdef SYS_close_range
  constexpr unsigned first = 3;
  constexpr unsigned at_start = 1U << 2U;  // CLOSE_RANGE_CLOEXEC
  ::syscall(SYS_close_range, first, ~0U, at_start);
#endif
}

/// A function for atexit() can access only static storage.
std::vector<std::string>& next_words() {
  static std::vector<std::string> words;
  return words;
}

void start_next() {
  std::vector<char*> argv;
  for (std::string& word : next_words()) argv.push_back(word.data());
  argv.push_back(nullptr);
  allow_all_processors_of_openmp();
  close_files_at_start();
  ::execv(own_program, argv.data());
  std::cerr << argv[0] << ": cannot start again: " << std::strerror(errno) << '\n';
  ::_exit(1);
}

}  // namespace

double monotonic_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string place_text(const RunPlace& place) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), place.started).ptr;
  return std::to_string(place.number) + ':' + std::to_string(place.first.value_or(1)) + ':' +
         std::string(digits.begin(), end);
}

RunPlace parse_place(const std::string& text) {
  RunPlace place;
  std::int64_t first = 0;
  char separators[2]{};
  std::istringstream in(text);
  in >> place.number >> separators[0] >> first >> separators[1] >> place.started;
  const bool is_whole = !in.fail() && in.peek() == std::istringstream::traits_type::eof();
  if (!is_whole || separators[0] != ':' || separators[1] != ':' || place.number < 1 || first < 1) {
    throw Error(std::string(place_flag) + '=' + text +
                ": is for the program's own use; --processes says how many there are to be");
  }
  place.first = first;
  return place;
}

void start_again_at_exit(const RunPlace& place, const std::string& peaks) {
  next_words() = words_of_program();
  next_words().push_back(std::string(place_flag) + '=' + place_text(place));
  const char* const known_peaks = std::getenv(peaks_variable);
  if (!peaks.empty() && (known_peaks == nullptr || *known_peaks == 0)) {
    ::setenv(peaks_variable, peaks.c_str(), 1);
  }
  if (std::atexit(&start_next) != 0) throw Error("cannot start the next process");
}

bool has_peaks_of_run(const std::string& file) {
  const char* const peaks = std::getenv(peaks_variable);
  return peaks != nullptr && peaks == file;
}

void hold_signals() {
  const sigset_t set = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void accept_signals() {
  const sigset_t set = ending_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace benanza::harness
