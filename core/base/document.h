#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace benanza {

/// A JSON file of a known kind, plain or gzipped. Every error is one line: the file, what is wrong,
/// what to do.
class Document {
 public:
  /// `kind` as in "a results file"; `remedy` as in "measure again". Throws Error if the file cannot
  /// be read or is not exactly one JSON object.
  Document(std::filesystem::path path, std::string_view kind, std::string_view remedy);

  const std::filesystem::path& path() const { return path_; }
  const nlohmann::json& root() const { return root_; }

  /// "path: message; remedy".
  Error error(std::string_view message) const;
  /// Throws Error unless the member "schema" of `holder` equals `expected`.
  void require_schema(const nlohmann::json& holder, int expected) const;
  /// Returns `read()`, but turns the exception for an absent or mistyped member into an Error
  /// naming the file.
  template <class Read>
  auto guard(Read&& read) const {
    try {
      return read();
    } catch (const nlohmann::json::exception& exception) {
      throw malformed(exception);
    }
  }

 private:
  Error malformed(const nlohmann::json::exception& exception) const;

  std::filesystem::path path_;
  std::string kind_;
  std::string remedy_;
  nlohmann::json root_;
};

/// Member `name` of `object`; empty if it is absent or null.
template <class T>
std::optional<T> optional_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->template get<T>();
}

}  // namespace benanza
