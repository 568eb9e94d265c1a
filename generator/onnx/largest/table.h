#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/site.h"

namespace benanza::onnx {

/// An output of which some extents are only known when the model runs.
struct Largest {
  int type = 0;
  /// Where the data decide, as much as there can be.
  Dims shape = {};
  /// Axes whose extent the data decide.
  std::vector<std::size_t> open = {};
};

/// One per output, empty where there is no limit or it is not known; may be shorter than the node's
/// list. The outputs of the site are not known yet. May throw NotExpressible if there is no limit
/// for any.
using LargestFunction = std::vector<std::optional<Largest>> (*)(const Site&);

/// The largest results of operators that select by the data, for where nothing tells how much they
/// select. Each largest/X.cpp adds its family in `void largest::register_X(LargestTable&)`.
class LargestTable {
 public:
  void add(std::string_view type, LargestFunction function) { entries_.emplace(type, function); }
  /// Null if there is no limit.
  LargestFunction find(const Node& node) const {
    const auto found = entries_.find(node.full_type());
    return found == entries_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, LargestFunction> entries_;
};

/// Every family of largest/.
LargestTable make_largest_table();

}  // namespace benanza::onnx
