#include "record/logs/shared/environment.h"

#include <unistd.h>

namespace benanza::record {

Environment Environment::inherited() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.set(text.substr(0, equals), std::string(text.substr(equals + 1)));
  }
  return environment;
}

std::optional<std::string> Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void Environment::set(std::string_view name, std::string value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

std::vector<std::string> Environment::list() const {
  std::vector<std::string> list;
  for (const auto& [name, value] : values_) list.push_back(name + '=' + value);
  return list;
}

}  // namespace benanza::record
