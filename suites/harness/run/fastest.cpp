#include "suites/harness/run/fastest.h"

#include <algorithm>

#include "core/problem/name.h"
#include "core/statistics/repetitions.h"
#include "core/statistics/summary.h"

namespace benanza::harness {

std::string question_of(VariantName name) {
  name.layout = Layout::any;
  name.backend = name.algorithm = "any";
  return to_string(name);
}

void FastestSoFar::add(const Row& row) {
  if (row.status != Status::ok) return;
  const std::string name = to_string(row.variant);
  const double seconds = median(row.samples);
  std::vector<Fastest>& fastest = fastest_[question_of(row.variant)];
  const auto own = std::ranges::find(fastest, name, &Fastest::name);
  if (own == fastest.end()) {
    fastest.push_back({name, seconds});
  } else {
    own->seconds = std::min(own->seconds, seconds);
  }
  std::ranges::sort(fastest, {}, &Fastest::seconds);
  if (fastest.size() > 2) fastest.pop_back();
}

std::optional<double> FastestSoFar::seconds(const std::string& name) const {
  const auto entry = fastest_.find(question_of(parse_variant_name(name)));
  if (entry == fastest_.end()) return std::nullopt;
  for (const Fastest& rival : entry->second) {
    if (rival.name != name) return rival.seconds;
  }
  return std::nullopt;
}

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
