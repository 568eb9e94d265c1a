#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace benanza::harness {

/// A run of bench_fake.
struct Finished {
  /// Exit status; minus the signal's number if one ended it.
  int status = 0;
  std::string out;
  std::string err;
};

struct Request {
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> environment = {};
  /// Largest size of a file that it may write, in bytes; 0: no limit.
  unsigned long file_size_limit = 0;
};

/// bench_fake as a process of its own: Google Benchmark keeps its flags for a process' life.
class Program {
 public:
  explicit Program(const Request& request);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void send(int signal) const;
  /// Waits for its end.
  Finished wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

Finished run_program(const Request& request);

}  // namespace benanza::harness
