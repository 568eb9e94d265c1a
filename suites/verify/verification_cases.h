#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "suites/harness/run/runner.h"
#include "suites/verify/verify.h"

namespace benanza::verify {

/// Caches verification cases of several problems, because repetitions spread over a run return to a
/// problem long after its inputs were made. If all inputs exceed `capacity_bytes`, the least
/// recently used are dropped, but never the latest; expected results are kept for all problems.
/// Operands that other problems may share are kept in a pool of a sixteenth of this machine's
/// memory, at least 1 GiB.
class VerificationCases {
 public:
  static constexpr std::int64_t default_capacity_bytes = std::int64_t{1} << 26;

  explicit VerificationCases(std::int64_t capacity_bytes = default_capacity_bytes);

  /// Returns the case prepared for `problem` and `precision`; valid until the next call.
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
  /// Most recently used first.
  std::list<Entry> entries_;
  /// By name, for every problem so far and their companions.
  std::map<std::string, std::vector<VerificationCase::Sample>> known_;
};

/// Compares variants with the references; caches the cases of several problems.
harness::Verifier verifier();

}  // namespace benanza::verify
