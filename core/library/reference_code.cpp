#include "core/library/reference_code.h"

#include <algorithm>

namespace benanza {

bool is_reference_code(std::string_view implementation) {
  constexpr std::string_view separators = "_:+.";
  while (!implementation.empty()) {
    const std::size_t end =
        std::min(implementation.find_first_of(separators), implementation.size());
    if (implementation.substr(0, end) == "ref") return true;
    implementation.remove_prefix(std::min(end + 1, implementation.size()));
  }
  return false;
}

}  // namespace benanza
