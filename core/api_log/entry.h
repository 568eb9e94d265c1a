#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem/problem.h"

/// Texts of the libraries' API logs.
namespace benanza::api_log {

/// Without the spaces and semicolons around it.
std::string_view trimmed(std::string_view text);
/// The text between `before` and the first of `ends` after it; empty if `before` is not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends);
std::optional<std::int64_t> integer(std::string_view text);
/// "[1,64,56,56]"; empty if it is no such list.
Dims dims(std::string_view text);
/// Of a library's name of a type: "CUDNN_DATA_HALF (2)", "R_16F".
std::optional<Precision> precision(std::string_view type);
std::string lower_case(std::string_view text);

/// The key of `shape`; empty if it is no valid problem.
template <class T>
std::string key_of(const T& shape) {
  try {
    return key(parse(key(Problem{.shape = shape, .epilogue = {}})));
  } catch (const std::exception&) {
    return "";
  }
}

/// The fields of one logged call, by their path: "xDesc.dimA". Fields of equal paths (the
/// operations of a graph) are numbered from the second on: "operation#2.xDesc.dimA".
class Entry {
 public:
  explicit Entry(std::string function) : function_(std::move(function)) {}

  const std::string& function() const { return function_; }

  /// `line` without its "i!": "    xDesc: type=cudnnTensorDescriptor_t:".
  void add(std::string_view line);

  /// Of the first field whose path ends with `name`; empty if there is none.
  std::string_view value(std::string_view name) const;
  std::string_view type(std::string_view name) const;
  /// Of every field of this name, in the order of their paths.
  std::vector<std::string> types(std::string_view name) const;
  /// Of every field right below one whose path ends with `name`: its own name and value.
  std::vector<std::pair<std::string, std::string>> below(std::string_view name) const;

 private:
  std::string function_;
  /// Depth and path of the fields that the next line may be part of.
  std::vector<std::pair<std::size_t, std::string>> open_;
  std::map<std::string, int> seen_;
  std::map<std::string, std::string> fields_;
  std::map<std::string, std::string> types_;
};

}  // namespace benanza::api_log
