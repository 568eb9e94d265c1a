#include "core/results_file/origin.h"

#include "core/base/error.h"

namespace benanza {
namespace {

std::optional<std::string> value_of(const System& system, const std::string& field) {
  const auto found = system.find(field);
  return found == system.end() ? std::nullopt : std::optional(found->second);
}

std::string shown(const std::optional<std::string>& value) {
  return value ? '"' + *value + '"' : "not stated";
}

}  // namespace

std::vector<FieldDifference> differences(const System& first, const System& second) {
  System fields = first;
  fields.insert(second.begin(), second.end());
  std::vector<FieldDifference> found;
  for (const auto& [field, value] : fields) {
    FieldDifference difference{field, value_of(first, field), value_of(second, field)};
    if (difference.first != difference.second) found.push_back(std::move(difference));
  }
  return found;
}

void require_same_system(const Origin& first, const Origin& second) {
  const std::vector<FieldDifference> found = differences(first.system, second.system);
  if (found.empty()) return;
  const auto& [field, a, b] = found.front();
  throw Error(first.file.string() + " and " + second.file.string() +
              ": measured on different systems: " + field + " is " + shown(a) + " and " + shown(b) +
              "; analyse them one by one");
}

}  // namespace benanza
