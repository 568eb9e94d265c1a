#pragma once

#include <memory>
#include <span>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::plan {

/// The libraries of this program, on one device. The first one's memory and clock serve all. Each
/// backends_*.cpp defines it for one kind of device.
class Backends {
 public:
  /// Removes the flags of the device from argv. Throws Error naming a flag and its value.
  Backends(int& argc, char** argv);
  ~Backends();
  Backends(const Backends&) = delete;
  Backends& operator=(const Backends&) = delete;
  std::span<harness::Backend* const> all() const { return all_; }
  /// Where a plan's tensors lie.
  harness::Allocator& memory() const;
  /// Calls may run at the same time (Backend::branches()).
  static bool run_branches();
  /// The flags that the constructor takes, for help.
  static std::vector<harness::BackendFlag> flags();

 private:
  struct Device;

  std::unique_ptr<Device> device_;
  std::vector<std::unique_ptr<harness::Backend>> owned_;
  std::vector<harness::Backend*> all_;
};

}  // namespace benanza::plan
