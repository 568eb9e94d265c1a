#include "suites/verify/verification_cases.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/problem/problem.h"

namespace benanza::verify {
namespace {

std::int64_t operand_bytes(const Problem& problem) {
  std::int64_t elements = 0;
  for (const Operand& operand : inputs(problem)) elements += element_count(operand.dims);
  return elements * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t pool_bytes() {
  constexpr std::int64_t least = std::int64_t{1} << 30;
  return std::max(least, std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 16);
}

}  // namespace

VerificationCases::VerificationCases(std::int64_t capacity_bytes)
    : capacity_bytes_(capacity_bytes), pool_(pool_bytes()) {}

VerificationCase& VerificationCases::at(const Problem& problem, Precision precision) {
  const auto name_of = [&](const Problem& one) {
    return key(one) + '/' + std::string(to_string(precision));
  };
  const std::string name = name_of(problem);
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return entries_.front().verification;
  }
  Entry entry{.name = name, .bytes = operand_bytes(problem), .verification = {}};
  // Makes room first, because the evicted cases may have the operands needed now.
  while (!entries_.empty() && bytes_ + entry.bytes > capacity_bytes_) {
    bytes_ -= entries_.back().bytes;
    entries_.back().verification.give_back(pool_);
    entries_.pop_back();
  }
  const auto samples = known_.find(name);
  entry.verification.prepare(problem, precision, pool_,
                             samples == known_.end() ? nullptr : &samples->second);
  if (samples == known_.end()) known_[name] = entry.verification.samples();
  if (const auto& companion = entry.verification.companion()) {
    known_[name_of(companion->problem)] = companion->samples;
  }
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  return entries_.front().verification;
}

harness::Verifier verifier() {
  return [cases = std::make_shared<VerificationCases>()](
             harness::Primitive& primitive, const harness::Variant& variant,
             const harness::Traits& traits) -> std::optional<std::string> {
    const Problem problem =
        traits.signed_data ? with_unsigned_data(variant.problem, false) : variant.problem;
    VerificationResult result = verify(primitive, problem, variant.precision,
                                       cases->at(problem, variant.precision), traits);
    if (result.ok) return std::nullopt;
    return std::move(result.message);
  };
}

}  // namespace benanza::verify
