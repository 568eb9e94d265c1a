#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace benanza::harness {

/// A run of bench_fake.
struct Finished {
  /// The exit status, or the negative number of the signal that ended it.
  int status = 0;
  std::string out;
  std::string err;
};

struct Request {
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> environment = {};
  /// Maximum size of files it writes, in bytes; 0: no limit.
  unsigned long file_size_limit = 0;
};

/// bench_fake in a child process, because Google Benchmark's flags are global to a process.
class Program {
 public:
  explicit Program(const Request& request);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void send(int signal) const;
  /// Waits for the process to exit.
  Finished wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

Finished run_program(const Request& request);

}  // namespace benanza::harness
