#include "suites/harness/run/near_fastest.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/statistics/repetitions.h"
#include "suites/harness/run/fastest_so_far.h"

namespace benanza::harness {
namespace {

struct Times {
  std::vector<double> alone;
  std::vector<double> in_company;

  double seconds() const { return trimmed_mean(alone.empty() ? in_company : alone); }
};

}  // namespace

std::set<std::string> fastest_variants(std::span<const Row> rows, double as_fast) {
  std::map<std::string, std::map<std::string, Times>> by_question;
  for (const Row& row : rows) {
    if (row.status != Status::ok) continue;
    Times& times = by_question[question_of(row.variant)][to_string(row.variant)];
    (row.had_company() ? times.in_company : times.alone).push_back(median(row.samples));
  }
  std::set<std::string> names;
  for (const auto& [question, variants] : by_question) {
    double least = variants.begin()->second.seconds();
    for (const auto& [name, times] : variants) least = std::min(least, times.seconds());
    for (const auto& [name, times] : variants) {
      if (times.seconds() <= least * as_fast) names.insert(name);
    }
  }
  return names;
}

}  // namespace benanza::harness
