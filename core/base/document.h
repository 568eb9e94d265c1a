#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace benanza {

/// A file of a known kind. Every error is one line: the file, what is wrong, what to do.
class FileOfKind {
 public:
  /// `kind` as in "a results file"; `remedy` as in "measure again".
  FileOfKind(std::filesystem::path path, std::string_view kind, std::string_view remedy)
      : path_(std::move(path)), kind_(kind), remedy_(remedy) {}

  const std::filesystem::path& path() const { return path_; }
  const std::string& kind() const { return kind_; }

  /// "path: message; remedy".
  Error error(std::string_view message) const;
  /// "path: is not kind: reason; remedy".
  Error malformed(std::string_view reason) const;
  /// Throws Error unless `text` is exactly one JSON object.
  nlohmann::json parsed(const std::string& text) const;
  /// Throws Error unless the member "schema" of `holder` equals `expected`.
  void require_schema(const nlohmann::json& holder, int expected) const;
  /// Returns `read()`, but turns the exception for an absent or mistyped member into an Error
  /// naming the file.
  template <class Read>
  auto guard(Read&& read) const {
    try {
      return read();
    } catch (const nlohmann::json::exception& exception) {
      throw malformed(exception.what());
    }
  }

 private:
  std::filesystem::path path_;
  std::string kind_;
  std::string remedy_;
};

/// A JSON file, plain or gzipped.
class Document : public FileOfKind {
 public:
  /// Throws Error if the file cannot be read or is not exactly one JSON object.
  Document(std::filesystem::path path, std::string_view kind, std::string_view remedy);

  const nlohmann::json& root() const { return root_; }

 private:
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
