#include "suites/harness/run/rivals.h"

#include <algorithm>

#include "core/problem/name.h"
#include "suites/harness/statistics.h"

namespace benanza::harness {
namespace {

/// The question that `name` answers: problem, precision, hot or cold.
std::string question(const std::string& name) {
  VariantName parts = parse_variant_name(name);
  parts.layout = Layout::any;
  parts.backend = parts.algorithm = "any";
  return to_string(parts);
}

}  // namespace

void Rivals::add(const Row& row) {
  if (row.outcome.status != Status::ok) return;
  const double seconds = median(row.outcome.samples);
  const auto [entry, added] = fastest_.try_emplace(question(row.name), seconds);
  if (!added) entry->second = std::min(entry->second, seconds);
}

std::optional<double> Rivals::seconds(const std::string& name) const {
  const auto entry = fastest_.find(question(name));
  return entry == fastest_.end() ? std::nullopt : std::optional(entry->second);
}

}  // namespace benanza::harness
