#include "suites/harness/primitive.h"

namespace benanza::harness {

bool transforms(std::string_view algorithm) {
  return algorithm.find("wino") != algorithm.npos || algorithm.find("fft") != algorithm.npos;
}

}  // namespace benanza::harness
