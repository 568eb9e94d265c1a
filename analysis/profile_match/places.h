#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Where the layers of a model ran, as far as a profile leaves one possibility. Per layer.
struct Places {
  /// The operator that did it; empty if that is not certain.
  std::vector<std::optional<std::ptrdiff_t>> place;
  /// It ran between these two operators (either of which may have done it): -1 and the number of
  /// operators if nothing bounds it. Operators that ran in another order bound nothing.
  std::vector<std::ptrdiff_t> first;
  std::vector<std::ptrdiff_t> last;
  /// Products that ran without their bias, and layers that ran without some other part.
  std::vector<bool> lacks_bias;
  std::vector<bool> lacks_more;
};

Places places_of(const Graph& graph, const Profile& run, const Mapping& mapping);

/// What operators may have done of which a profile does not tell what they do.
class Unexplained {
 public:
  /// `run` must outlive it.
  explicit Unexplained(const Profile& run);

  /// True if operator `node` may have done `layer`.
  bool may_have_done(std::size_t node, const Layer& layer) const;

 private:
  struct Open {
    /// It may be anything; otherwise only these kinds (kind_of_operator()).
    bool anything = false;
    std::set<std::string_view> kinds{};
  };
  std::vector<Open> nodes_;
};

}  // namespace benanza::analysis
