#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/name.h"

namespace benanza {

enum class Status { ok, unsupported, incorrect, failed };
std::string_view to_string(Status status);

/// What one variant did on one system.
struct Measurement {
  VariantName variant{};
  Status status = Status::ok;
  /// The library's or the verifier's words, where the status is not ok.
  std::string reason{};
  /// Seconds per call, of every repetition; not empty where the status is ok.
  std::vector<double> samples{};

  /// Median of the samples. Only where the status is ok.
  double seconds() const;
};

/// Measurements by key. Joining is equality of strings: no wildcards.
class MeasurementSet {
 public:
  /// A variant added again is a repetition. Samples of ok repetitions are joined; a repetition that
  /// was incorrect makes the variant incorrect; otherwise one ok repetition makes it ok.
  void add(Measurement measurement);

  /// Every variant of the problem, in the order of their names; empty if there is none.
  std::span<const Measurement> find(std::string_view key) const;
  std::size_t size() const;

 private:
  std::map<std::string, std::vector<Measurement>, std::less<>> by_key_;
};

}  // namespace benanza
