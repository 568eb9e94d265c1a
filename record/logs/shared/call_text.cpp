#include "record/logs/shared/call_text.h"

#include <algorithm>

namespace benanza {

CallText call_text(const LibraryCall& call) {
  return {.source = call.library,
          .engine = "gpu",
          .kind = call.function,
          .implementation = call.algorithm,
          .memory = to_string(CallMemory{.data = call.data, .layout = call.layout}),
          .attributes = call.remarks,
          .auxiliary = call.detail,
          .problem = call.problem};
}

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
