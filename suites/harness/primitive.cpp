#include "suites/harness/primitive.h"

namespace benanza::harness {

bool transforms(std::string_view algorithm) {
  return algorithm.find("wino") != algorithm.npos || algorithm.find("fft") != algorithm.npos;
}

std::optional<Primitive::Glimpse> Primitive::glimpse(std::span<const std::int64_t>) {
  return std::nullopt;
}

}  // namespace benanza::harness
