#include "results/system.h"

#include "base/error.h"

namespace benanza {
namespace {

/// One text for a field's value in `system`.
std::string shown(const System& system, const std::string& field) {
  const auto found = system.find(field);
  return found == system.end() ? "not stated" : '"' + found->second + '"';
}

}  // namespace

void require_same_system(const Origin& first, const Origin& second) {
  if (first.system == second.system) return;
  System fields = first.system;
  fields.insert(second.system.begin(), second.system.end());
  for (const auto& [field, value] : fields) {
    const std::string a = shown(first.system, field);
    const std::string b = shown(second.system, field);
    if (a == b) continue;
    throw Error(first.file.string() + " and " + second.file.string() +
                ": measured on different systems: " + field + " is " + a + " and " + b +
                "; analyse them one by one");
  }
}

}  // namespace benanza
