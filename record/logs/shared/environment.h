#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// A program's environment variables.
class Environment {
 public:
  /// The variables of this program.
  static Environment inherited();

  std::optional<std::string> find(std::string_view name) const;
  void set(std::string_view name, std::string value);
  /// The variables as NAME=VALUE.
  std::vector<std::string> list() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace benanza::record
