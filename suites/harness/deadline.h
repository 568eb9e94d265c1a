#pragma once

#include <unistd.h>

namespace benanza::harness {

/// Ends the program by SIGALRM unless it is destroyed within `seconds`: for waiting on a device
/// that may never answer, which nothing else can interrupt. CrashGuard then writes the row of the
/// variant. There is one alarm per process: deadlines do not nest.
class Deadline {
 public:
  explicit Deadline(unsigned seconds) { ::alarm(seconds); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { ::alarm(0); }
};

}  // namespace benanza::harness
