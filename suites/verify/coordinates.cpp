#include "suites/verify/coordinates.h"

namespace benanza::verify {

Dims unravel(std::int64_t flat_index, const Dims& dims) {
  Dims at(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    at[axis] = flat_index % dims[axis];
    flat_index /= dims[axis];
  }
  return at;
}

std::int64_t ravel_broadcast(const Dims& at, const Dims& dims) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    index = index * dims[axis] + (dims[axis] == 1 ? 0 : at[axis]);
  }
  return index;
}

bool advance(Dims& at, const Dims& dims) {
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    if (++at[axis] < dims[axis]) return true;
    at[axis] = 0;
  }
  return false;
}

std::int64_t plane(const Dims& dims) { return element_count(Dims(dims.begin() + 2, dims.end())); }

}  // namespace benanza::verify
