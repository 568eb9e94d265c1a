#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

}  // namespace benanza::harness
