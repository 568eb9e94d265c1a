#pragma once

#include <string>
#include <vector>

#include "core/results_file/row.h"

namespace benanza::harness {

/// The state of the machine while a variant was timed.
struct Conditions {
  /// Facts for the row; unknown ones are absent.
  Facts facts{};
  /// Why the times may not be the machine's own, one phrase each: "power cap", "steal 12%". Empty
  /// if no disturbance was detected.
  std::vector<std::string> disturbances{};
  /// One of them is another program or a hypervisor, not the device's own limit.
  bool company = false;
};

/// Watches the machine while a variant is timed. Reads its state right before the first sample and
/// right after the last, never in between.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin() = 0;
  /// Returns the conditions since begin().
  virtual Conditions end() = 0;
};

}  // namespace benanza::harness
