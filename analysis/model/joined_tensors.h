#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/model/plan.h"
#include "core/graph_file/data_flow.h"

namespace benanza::analysis {

/// A concatenation whose parts lie one behind the other, so that the calls that make them can write
/// them where it has them.
struct JoinedTensor {
  struct Part {
    std::size_t tensor = 0;
    Dims dims{};
    /// Its first element in the whole.
    std::int64_t first = 0;
    /// Its own place is there; otherwise it is copied there.
    bool in_place = false;
    /// It is a joined tensor of this kind itself.
    bool joined = false;
  };
  std::size_t layer = 0;
  std::size_t whole = 0;
  Dims dims{};
  std::size_t axis = 0;
  std::vector<Part> parts{};
  /// As the concatenation's call has them: neither one part nor one place stands for several.
  bool has_operands_of_call = true;
};

/// Those of the model, in its order, without those of the layers `apart`. A part of several is in
/// place in the largest. Parts of a smaller one that follow each other in a larger one are that
/// smaller one there (dense blocks of a network join all earlier results again and again), and
/// slices that together are a tensor are that tensor. `prepared`: layers that are left to the
/// caller.
std::vector<JoinedTensor> joined_tensors(const DataFlow& flow, const std::vector<bool>& prepared,
                                         const std::vector<PlannedWork>& work, Precision precision,
                                         const std::set<std::size_t>& apart);

/// How a part of these extents lies in a joined tensor whose first part is in a library's format
/// `like`, by its name, such as 1x32x28x28:s12544.448.16:b16:a1: blocks of 16 of axis 1, which lie
/// one behind the other. Empty if the part does not begin and end with a block there.
std::optional<std::string> joined_format(const std::string& like, const Dims& dims,
                                         std::size_t axis);

}  // namespace benanza::analysis
