#pragma once

#include <unistd.h>

namespace benanza::harness {

/// Ends the program by SIGALRM unless it is destroyed within `seconds`: for waiting on a device
/// that may never answer, or for threads that wait for each other, which nothing else can
/// interrupt. CrashGuard then writes the row of the variant. There is one alarm per process: an
/// outer deadline stands still while an inner one lives.
class Deadline {
 public:
  /// No call worth timing takes so many seconds.
  static constexpr unsigned of_a_call = 60;

  explicit Deadline(unsigned seconds) : outer_(::alarm(seconds)) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { ::alarm(outer_); }

 private:
  /// What is left of the outer one; 0: there is none.
  unsigned outer_;
};

}  // namespace benanza::harness
