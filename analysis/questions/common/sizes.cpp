#include "analysis/questions/common/sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::analysis {
std::set<std::int64_t> sizes_of(const std::string& text, std::string_view flag) {
  const auto number = [&](std::string_view part) {
    const auto value = text::number<std::int64_t>(part);
    if (value && *value >= 1) return *value;
    throw Error(fmt::format("{} {}: give sizes or a range, e.g. 3,6,12 or 1:512", flag, text));
  };
  std::set<std::int64_t> sizes;
  if (const auto colon = text.find(':'); colon != text.npos) {
    const std::int64_t first = number(std::string_view(text).substr(0, colon));
    const std::int64_t last = number(std::string_view(text).substr(colon + 1));
    if (last < first) {
      throw Error(fmt::format("{} {}: the last size is below the first", flag, text));
    }
    for (std::int64_t size = 1; size <= last; size *= 2) {
      for (const std::int64_t one : {size, size + size / 2}) {
        if (one >= first && one <= last) sizes.insert(one);
      }
    }
    sizes.insert({first, last});
    return sizes;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    sizes.insert(number(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return sizes;
}

std::int64_t size_of(const std::string& text, std::string_view flag, std::int64_t least) {
  const auto value = text::number<std::int64_t>(text);
  if (value && *value >= least) return *value;
  throw Error(fmt::format("{} {}: say a whole number from {} on", flag, text, least));
}

}  // namespace benanza::analysis
