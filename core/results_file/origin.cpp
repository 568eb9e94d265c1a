#include "core/results_file/origin.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/lookup.h"

namespace benanza {
namespace {

/// Fields of later versions, and what was the case before.
constexpr std::pair<std::string_view, std::string_view> former[] = {{"large_pages", "no"}};

std::optional<std::string> value_of(const System& system, const std::string& field) {
  if (const auto found = system.find(field); found != system.end()) return found->second;
  const auto before = found_in(former, std::string_view(field));
  return before ? std::optional<std::string>(*before) : std::nullopt;
}

}  // namespace

std::optional<std::string> library_version(const std::string& backend, const System& system) {
  for (const std::string& field : {backend, backend + "_version"}) {
    const std::optional<std::string> version = value_of(system, field);
    if (version && !version->empty()) return version;
  }
  return std::nullopt;
}

std::string library_name(const std::string& backend, const System& system) {
  const std::optional<std::string> version = library_version(backend, system);
  return version ? backend + ' ' + *version : backend;
}

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

std::vector<FieldDifference> contradictions(const System& first, const System& second) {
  std::vector<FieldDifference> found = differences(first, second);
  std::erase_if(found, [](const FieldDifference& one) { return !one.first || !one.second; });
  return found;
}

void add_anchors(AnchorTimes& held, const AnchorTimes& more) {
  for (const auto& [name, seconds] : more) {
    std::vector<double>& known = held[name];
    if (!std::ranges::search(known, seconds).empty()) continue;
    known.insert(known.end(), seconds.begin(), seconds.end());
  }
}

void require_same_system(const Origin& first, const Origin& second) {
  const std::vector<FieldDifference> found = contradictions(first.system, second.system);
  if (found.empty()) return;
  const auto& [field, a, b] = found.front();
  throw Error(first.file.string() + " and " + second.file.string() +
              ": measured on different systems: " + field + " is \"" + *a + "\" and \"" + *b +
              "\"; analyse them one by one");
}

}  // namespace benanza
