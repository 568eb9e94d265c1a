#pragma once

#include <string>
#include <vector>

#include "core/results_file/row.h"

namespace benanza::harness {

/// What was true of the machine while a variant was timed.
struct Conditions {
  /// For the row, under their own names; what is unknown is not there.
  Facts facts{};
  /// Why the times may not be the machine's own, one phrase each: "power cap", "steal 12%". Empty
  /// if nothing of the kind is known.
  std::vector<std::string> disturbances{};
};

/// Watches the machine while a variant is timed: asks right before the first sample and right after
/// the last, never in between.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin() = 0;
  /// Of the time since begin().
  virtual Conditions end() = 0;
};

}  // namespace benanza::harness
