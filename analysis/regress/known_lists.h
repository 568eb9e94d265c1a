#pragma once

#include <span>
#include <string_view>

namespace benanza::regress {

/// A file of models/regressions/.
struct KnownList {
  std::string_view file;
  std::string_view text;
};
std::span<const KnownList> known_lists();

}  // namespace benanza::regress
