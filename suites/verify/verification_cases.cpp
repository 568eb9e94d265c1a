#include "suites/verify/verification_cases.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/problem/problem.h"

namespace benanza::verify {
namespace {

std::int64_t operand_bytes(const VerificationCase& verification) {
  std::size_t elements = 0;
  for (const auto& operand : verification.operands()) elements += operand.size();
  return static_cast<std::int64_t>(elements * sizeof(float));
}

}  // namespace

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
  Entry entry{.name = name, .bytes = 0, .verification = {}};
  const auto samples = known_.find(name);
  entry.verification.prepare(problem, precision,
                             samples == known_.end() ? nullptr : &samples->second);
  if (samples == known_.end()) known_[name] = entry.verification.samples();
  if (const auto& companion = entry.verification.companion()) {
    known_[name_of(companion->problem)] = companion->samples;
  }
  entry.bytes = operand_bytes(entry.verification);
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  while (bytes_ > capacity_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  return entries_.front().verification;
}

harness::Verifier verifier() {
  return [cases = std::make_shared<VerificationCases>()](
             harness::Primitive& primitive,
             const harness::Variant& variant) -> std::optional<std::string> {
    VerificationResult result =
        verify(primitive, variant.problem, variant.precision,
               cases->at(variant.problem, variant.precision), variant.algorithm);
    if (result.ok) return std::nullopt;
    return std::move(result.message);
  };
}

}  // namespace benanza::verify
