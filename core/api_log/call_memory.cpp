#include "core/api_log/call_memory.h"

#include <algorithm>

namespace benanza {

std::string to_string(const CallMemory& memory) {
  std::string text;
  if (memory.data) text = to_string(*memory.data);
  if (memory.layout) text += ' ' + std::string(to_string(*memory.layout));
  return text;
}

CallMemory read_call_memory(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  CallMemory memory{.data = parse_precision(text.substr(0, space))};
  if (space < text.size()) memory.layout = parse_layout(text.substr(space + 1));
  return memory;
}

}  // namespace benanza
