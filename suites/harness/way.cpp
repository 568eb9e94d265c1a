#include "suites/harness/way.h"

#include <algorithm>
#include <iterator>

namespace benanza::harness {

std::vector<Algorithm> names_of(const std::vector<Way>& ways) {
  std::vector<Algorithm> names;
  std::ranges::transform(ways, std::back_inserter(names), &Way::name);
  return names;
}

std::shared_ptr<Primitive> make_alone(const Way& way, Allocator& allocator, CallFormats* formats) {
  struct Alone {
    NotedOperands operands;
    std::unique_ptr<Primitive> call;
  };
  auto alone = std::make_shared<Alone>(Alone{NotedOperands(allocator), nullptr});
  alone->call = way.make(alone->operands);
  if (formats != nullptr) *formats = alone->operands.formats();
  return {alone, alone->call.get()};
}

}  // namespace benanza::harness
