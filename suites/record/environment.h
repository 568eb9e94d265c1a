#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// What a program finds in its environment.
class Environment {
 public:
  /// This program's own.
  static Environment inherited();

  std::optional<std::string> find(std::string_view name) const;
  void set(std::string_view name, std::string value);
  /// NAME=VALUE.
  std::vector<std::string> list() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace benanza::record
