#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/results_file/row.h"

namespace benanza::harness {

/// The variant's name without layout, backend and algorithm: equal for variants that compete.
std::string question_of(VariantName name);

/// The fastest variants of every problem and precision; hot and cold separately.
class FastestSoFar {
 public:
  /// Ignores rows that are not ok.
  void add(const Row& row);
  /// Seconds per call of the fastest other variant of the same problem and precision as `name`;
  /// empty if there is none. `name` as in core/problem/name.h.
  std::optional<double> seconds(const std::string& name) const;

 private:
  /// The fastest two for each question, since the fastest may be the variant itself.
  struct Fastest {
    std::string name;
    double seconds = 0;
  };
  std::map<std::string, std::vector<Fastest>, std::less<>> fastest_;
};

/// Names of the variants that answers rest on: for every problem and precision the fastest and
/// those that take at most 5% longer (`as_fast`), by the trimmed mean of their ok rows. Rows with
/// company count only where a variant has no others, as in the analysis.
std::set<std::string> fastest_variants(std::span<const Row> rows, double as_fast = 1.05);

}  // namespace benanza::harness
