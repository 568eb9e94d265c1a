#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/results_file/row.h"

namespace benanza::harness {

/// The fastest variants of every problem and precision, hot and cold apart.
class Rivals {
 public:
  /// Rows that are not ok do not count.
  void add(const Row& row);
  /// Seconds per call of the fastest other variant that answers the same question as `name`; empty
  /// if there is none. `name` as in core/problem/name.h.
  std::optional<double> seconds(const std::string& name) const;

 private:
  /// By question, the fastest two: one of them is another than the one that asks.
  struct Fastest {
    std::string name;
    double seconds = 0;
  };
  std::map<std::string, std::vector<Fastest>, std::less<>> fastest_;
};

}  // namespace benanza::harness
