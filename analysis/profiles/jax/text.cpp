#include "analysis/profiles/jax/text.h"

#include <algorithm>

#include "core/base/text.h"

namespace benanza::analysis::jax {

using text::between;
using text::integer;
using text::trimmed;

std::optional<Dims> numbers(std::string_view text, char separator) {
  Dims values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const auto value = integer(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

std::vector<std::string_view> attribute_names(std::string_view attributes) {
  std::vector<std::string_view> names;
  std::size_t begin = 0;
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t at = 0; at < attributes.size(); ++at) {
    const char letter = attributes[at];
    if (is_quoted && letter == '\\') {
      ++at;
    } else if (letter == '"') {
      is_quoted = !is_quoted;
    } else if (is_quoted) {
      continue;
    } else if (letter == '{' || letter == '(' || letter == '[') {
      ++depth;
    } else if (letter == '}' || letter == ')' || letter == ']') {
      --depth;
    } else if (letter == ',' && depth == 0) {
      begin = at + 1;
    } else if (letter == '=' && depth == 0 && begin < at) {
      names.push_back(trimmed(attributes.substr(begin, at - begin)));
      begin = attributes.size();
    }
  }
  return names;
}

std::string_view plain(std::string_view name) {
  name = trimmed(name);
  if (const auto space = name.rfind(' '); space != name.npos) name.remove_prefix(space + 1);
  if (const auto comment = name.rfind("*/"); comment != name.npos) name.remove_prefix(comment + 2);
  if (name.starts_with('%')) name.remove_prefix(1);
  return name;
}

std::string_view window_field(std::string_view attributes, std::string_view name) {
  const std::string_view window = between(attributes, "window={", "}");
  for (auto at = window.find(name); at != window.npos; at = window.find(name, at + 1)) {
    if (at == 0 || window[at - 1] == ' ') return between(window.substr(at), "=", " ");
  }
  return {};
}

std::optional<Dims> window_sizes(std::string_view attributes, std::string_view name,
                                 std::size_t axes) {
  const std::string_view text = window_field(attributes, name);
  if (text.empty()) return Dims(axes, 1);
  auto sizes = numbers(text, 'x');
  const bool is_usable = sizes && sizes->size() == axes &&
                         std::ranges::all_of(*sizes, [](std::int64_t size) { return size > 0; });
  return is_usable ? sizes : std::nullopt;
}

Pads window_pads(std::string_view attributes, std::size_t axes) {
  Pads result;
  std::string_view pads = window_field(attributes, "pad");
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string_view one = pads.substr(0, pads.find('x'));
    const auto line = one.find('_');
    result.first.push_back(integer(one.substr(0, line)).value_or(0));
    result.second.push_back(line == one.npos ? 0 : integer(one.substr(line + 1)).value_or(0));
    pads.remove_prefix(std::min(one.size() + 1, pads.size()));
  }
  return result;
}

}  // namespace benanza::analysis::jax
