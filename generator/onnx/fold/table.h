#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/site.h"

namespace benanza::onnx {

/// Values of every output of a node whose output shapes are known; empty if they cannot be told.
using FoldFunction = std::vector<Literal> (*)(const Site&);

/// What an operator needs to be known before its outputs can be computed.
enum class FoldNeeds { values, shapes };

/// The standard operators that are evaluated while reading a model. Each fold/X.cpp adds its family
/// in `void fold::register_X(FoldTable&)`.
class FoldTable {
 public:
  struct Entry {
    FoldFunction function;
    FoldNeeds needs;
  };

  void add(std::string_view op_type, FoldFunction function, FoldNeeds needs = FoldNeeds::values) {
    entries_.emplace(op_type, Entry{function, needs});
  }
  /// Null if the operator is not evaluated.
  const Entry* find(const std::string& op_type) const {
    const auto found = entries_.find(op_type);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Entry> entries_;
};

/// Every family of fold/.
FoldTable make_fold_table();

namespace fold {

/// A place that is known not to be negative.
inline std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace fold

}  // namespace benanza::onnx
