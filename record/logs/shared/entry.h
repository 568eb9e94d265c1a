#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem/problem.h"

/// Parsing of the logs of cuDNN and cuBLAS.
namespace benanza::record {

/// Parses "[1,64,56,56]"; empty if it is no such list.
Dims dims(std::string_view text);
/// "HALF" of "CUDNN_DATA_HALF (2)", "R_16F" of "CUDA_R_16F(2)".
std::string_view type_name(std::string_view type);
/// Of data of such a type, signed or unsigned; empty for types that no precision has: doubles,
/// complex numbers, e5m2, packed bytes.
std::optional<Precision> precision(std::string_view type);
/// What a call's problem passes over (LibraryCall::remarks).
inline constexpr std::string_view gaps_remark = "gaps";
inline constexpr std::string_view result_remark = "result ";
/// Adds to a call's remarks that its result has this type.
void remark_result(std::string_view type, std::string& remarks);
/// Adds that a tensor has gaps.
void remark_gaps(std::string& remarks);
/// The function of "I! CuDNN (v91900 56) function cudnnCreate() called:", or of cuBLAS' form with a
/// result type.
std::string function_of(std::string_view line);

/// The fields of one logged call, by path: "xDesc.dimA". From the second on, fields with equal
/// paths (the operations of a graph) are numbered: "operation#2.xDesc.dimA".
class Entry {
 public:
  explicit Entry(std::string function) : function_(std::move(function)) {}

  const std::string& function() const { return function_; }

  /// `line`: without its "i!", "    xDesc: type=cudnnTensorDescriptor_t:".
  void add(std::string_view line);

  /// Value or type of the field with this path, otherwise of the first whose path ends with `name`;
  /// empty if there is none.
  std::string_view value(std::string_view name) const;
  std::string_view type(std::string_view name) const;
  /// The fields below each field with this name, in the log's order, as entries of their own: their
  /// function is the field's type.
  std::vector<Entry> parts(std::string_view name) const;
  /// Name and value of every field directly below one whose path ends with `name`.
  std::vector<std::pair<std::string, std::string>> below(std::string_view name) const;

 private:
  std::string function_;
  /// Depth and path of the fields that the next line can belong to.
  std::vector<std::pair<std::size_t, std::string>> open_;
  std::map<std::string, int> seen_;
  std::map<std::string, std::string> fields_;
  std::map<std::string, std::string> types_;
};

/// The entry with these lines.
Entry entry_of(std::string_view lines);

}  // namespace benanza::record
