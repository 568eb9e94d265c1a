#include "core/problem/name.h"

#include <stdexcept>
#include <vector>

namespace benanza {

std::string to_string(const VariantName& name) {
  std::string text = name.key;
  for (const std::string_view part :
       {to_string(name.precision), to_string(name.layout), std::string_view(name.backend),
        std::string_view(name.algorithm)}) {
    text += '/';
    text += part;
  }
  if (name.cold) text += "/cold";
  return text;
}

bool multiplies_transforms(std::string_view name) {
  return name.find("wino") != name.npos || name.find("fft") != name.npos;
}

std::size_t library_calls(std::string_view algorithm) {
  std::size_t calls = 1;
  for (std::size_t at = algorithm.find(next_engine); at != algorithm.npos;
       at = algorithm.find(next_engine, at + next_engine.size())) {
    ++calls;
  }
  return calls;
}

VariantName parse_variant_name(std::string_view text) {
  const auto fail = [&](std::string_view wanted) -> std::invalid_argument {
    return std::invalid_argument("benchmark name \"" + std::string(text) + "\": expected " +
                                 std::string(wanted));
  };
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const std::size_t slash = rest.find('/');
    parts.push_back(rest.substr(0, slash));
    if (parts.back().empty()) throw fail("no empty part");
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (parts.size() < 6 || parts.size() > 7) {
    throw fail("op/key/precision/layout/backend/algorithm[/cold]");
  }
  if (parts.size() == 7 && parts[6] != "cold") throw fail("\"cold\" as the last part");
  const auto precision = parse_precision(parts[2]);
  if (!precision) throw fail("a precision, not \"" + std::string(parts[2]) + "\"");
  const auto layout = parse_layout(parts[3]);
  if (!layout) throw fail("a layout, not \"" + std::string(parts[3]) + "\"");
  return {.key = std::string(parts[0]) + '/' + std::string(parts[1]),
          .precision = *precision,
          .layout = *layout,
          .backend = std::string(parts[4]),
          .algorithm = std::string(parts[5]),
          .cold = parts.size() == 7};
}

}  // namespace benanza
