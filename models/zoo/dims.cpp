#include "models/zoo/dims.h"

#include <functional>
#include <numeric>

namespace benanza::zoo {

std::int64_t element_count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Dims& dims) {
  std::string text;
  for (const std::int64_t extent : dims) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

}  // namespace benanza::zoo
