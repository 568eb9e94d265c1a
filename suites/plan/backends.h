#pragma once

#include <memory>
#include <span>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::plan {

/// The libraries of this program, on one device. The first one's memory and clock serve all.
class Backends {
 public:
  Backends();
  std::span<harness::Backend* const> all() const { return all_; }

 private:
  std::vector<std::unique_ptr<harness::Backend>> owned_;
  std::vector<harness::Backend*> all_;
};

}  // namespace benanza::plan
