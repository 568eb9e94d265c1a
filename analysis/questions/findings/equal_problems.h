#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/questions/findings/matter.h"

namespace benanza::analysis {

/// Equal things that cost time in several layers: those of one problem are named once.
class EqualProblems {
 public:
  struct Item {
    std::size_t layer = 0;
    /// Of the layer's problem; layers without one are all different.
    std::string key{};
    double seconds = 0;
    /// What is the matter with it.
    std::string note{};
  };

  void add(Item item);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  double seconds() const;
  /// Ascending, each once.
  std::vector<std::size_t> layers() const;
  /// Of the problem that costs most, with the number of its layers: "conv_3 and 2 more of this
  /// problem (40.0 us by a, 10.0 us by b)".
  std::string worst_text(const Matter& matter) const;

 private:
  std::vector<Item> items_;
};

}  // namespace benanza::analysis
