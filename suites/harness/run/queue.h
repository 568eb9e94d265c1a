#pragma once

#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/run/look_ahead.h"

namespace benanza::harness {

/// The order of the variants: in rounds, of which each has those that the backend was still
/// preparing in the one before.
class Queue {
 public:
  /// `due`: the variants of the first round, which must outlive the queue.
  Queue(Backend& backend, const std::vector<const NamedVariant*>& due);

  /// The variants of the next round, in the order in which they were postponed; empty at the end.
  /// If nothing was started in the last round, the first that is not ready is waited for.
  std::vector<const NamedVariant*> next_round();
  /// Hints to the backend which variants come after this one, as they were due.
  void look_ahead(const NamedVariant& variant) { look_ahead_.reach(variant); }
  /// Returns false if the variant is to be started now, otherwise leaves it to the next round.
  bool is_postponed(const NamedVariant& variant);

 private:
  Backend& backend_;
  LookAhead look_ahead_;
  /// The next round's.
  std::vector<const NamedVariant*> postponed_;
  /// Something was started in this round.
  bool has_started_ = true;
  /// The next variant that is not ready has to be waited for.
  bool is_patient_ = false;
};

}  // namespace benanza::harness
