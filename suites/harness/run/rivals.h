#pragma once

#include <map>
#include <optional>
#include <string>

#include "suites/harness/results_file.h"

namespace benanza::harness {

/// The fastest variant of every problem and precision, hot and cold apart.
class Rivals {
 public:
  /// Rows that are not ok do not count.
  void add(const Row& row);
  /// Seconds per call of the fastest row that answers the same question as the variant `name`;
  /// empty if there is none. `name` as in problem/name.h.
  std::optional<double> seconds(const std::string& name) const;

 private:
  std::map<std::string, double, std::less<>> fastest_;
};

}  // namespace benanza::harness
