#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "suites/harness/run/runner.h"
#include "suites/verify/verify.h"

namespace benanza::verify {

/// Verification cases of several problems: repetitions that are spread over a run come back to a
/// problem long after its inputs were made. Forgets the inputs used longest ago when all of them
/// exceed `capacity_bytes`, but for those asked for last; what results must be is kept of all.
/// Operands that other problems may have again are kept for all of them, in a sixteenth of this
/// machine's memory, a GiB at least.
class VerificationCases {
 public:
  static constexpr std::int64_t default_capacity_bytes = std::int64_t{1} << 26;

  explicit VerificationCases(std::int64_t capacity_bytes = default_capacity_bytes);

  /// Prepared for `problem` and `precision`; valid until the next call.
  VerificationCase& at(const Problem& problem, Precision precision);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    std::int64_t bytes = 0;
    VerificationCase verification;
  };

  std::int64_t capacity_bytes_;
  OperandPool pool_;
  std::int64_t bytes_ = 0;
  /// Used last in front.
  std::list<Entry> entries_;
  /// By name, of every problem so far and of their companions.
  std::map<std::string, std::vector<VerificationCase::Sample>> known_;
};

/// Compares variants with the references; keeps the cases of several problems.
harness::Verifier verifier();

}  // namespace benanza::verify
