#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"

namespace benanza::harness {

/// The repetitions that this process takes of every variant, by number: those below `until` that
/// the store does not have yet.
class DueRepetitions {
 public:
  /// `variants` and `store` must outlive this object.
  DueRepetitions(std::span<const NamedVariant> variants, const ResultStore& store,
                 std::int64_t until);

  std::int64_t until() const { return until_; }
  /// The variants of which some were left at the beginning, in their order.
  const std::vector<const NamedVariant*>& variants() const { return variants_; }
  /// How many are left of the variant `name`.
  std::int64_t left(const std::string& name) const;
  /// The one to take next of a variant that is due. Empty if no more are needed, because of what
  /// the last one came to.
  std::optional<std::int64_t> next(const std::string& name) const;
  /// The store has this one now.
  void take(const std::string& name, std::int64_t repetition);
  /// The row of the repetition that was taken after `index` others of the variant; null if there is
  /// none.
  const Row* row(const std::string& name, std::int64_t index) const;

 private:
  const ResultStore& store_;
  std::int64_t until_;
  std::vector<const NamedVariant*> variants_;
  /// For every name that is due, the repetitions taken, in order.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> taken_;
};

/// How many variants ahead a backend gets its hints: enough to keep a dozen processes busy while
/// slow ones are compiled.
inline constexpr std::size_t looked_ahead = 256;

/// Tells a backend in advance which variants come next, each once.
class LookAhead {
 public:
  explicit LookAhead(Backend& backend) : backend_(backend) {}

  /// Adds a variant after all others; one that the backend cannot make is left out. It must outlive
  /// this object.
  void add(const NamedVariant& variant);
  /// `variant` begins: hints at it and those that come after it.
  void reach(const NamedVariant& variant);

 private:
  Backend& backend_;
  std::vector<const NamedVariant*> coming_;
  /// For how many of them the backend had a hint.
  std::size_t hinted_ = 0;
};

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
