#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/site.h"

namespace benanza::onnx {

/// Element type and, where it is known, shape of an output; type 0 where unknown.
struct TensorFacts {
  int type = 0;
  std::optional<Dims> shape = {};
};

/// Facts of the outputs; may be shorter than the node's list. The outputs of the site are not known
/// yet. Throws NotExpressible if they cannot be told, Error if the node makes no sense.
using ShapeFunction = std::vector<TensorFacts> (*)(const Site&);

/// Shape rules for operators that the installed schemas do not describe: newer ones, those that
/// changed, and those of other domains. Each shapes/X.cpp adds its family in
/// `void shapes::register_X(ShapeTable&)`.
class ShapeTable {
 public:
  /// `type`: Node::full_type(); the rule goes before the schemas of versions `since` to `until` of
  /// its domain.
  void add(std::string_view type, ShapeFunction function, int since = 1,
           int until = std::numeric_limits<int>::max()) {
    entries_.emplace(type, Entry{function, since, until});
  }
  /// Null if the schemas know better.
  ShapeFunction find(const Node& node) const {
    const auto [first, last] = entries_.equal_range(node.full_type());
    for (auto entry = first; entry != last; ++entry) {
      const Entry& rule = entry->second;
      if (rule.since <= node.opset() && node.opset() <= rule.until) return rule.function;
    }
    return nullptr;
  }

 private:
  struct Entry {
    ShapeFunction function;
    int since;
    int until;
  };
  std::multimap<std::string, Entry> entries_;
};

/// Every family of shapes/.
ShapeTable make_shape_table();

/// The type and shape of input `index`.
inline TensorFacts like_input(const Site& site, std::size_t index) {
  return {site.input(index).type, site.input(index).shape};
}

/// Extents of tensors broadcast against each other; throws Error if they do not fit.
Dims broadcast_dims(const Dims& a, const Dims& b);

}  // namespace benanza::onnx
