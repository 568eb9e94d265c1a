#include "suites/verify/element_arithmetic.h"

#include <cmath>

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

namespace {

/// The result of a function with slope `slope` at `x`. It may be stored before it is used.
Element function(double value, double slope, const Element& x) {
  return {value, std::abs(value) + slope * x.magnitude, std::abs(value) + slope * x.carried};
}

}  // namespace

Element constant(double value) { return {value, std::abs(value), 0}; }

Element operator+(const Element& a, const Element& b) {
  return {a.value + b.value, a.magnitude + b.magnitude, std::hypot(a.carried, b.carried)};
}

Element operator*(const Element& a, const Element& b) {
  const double x = std::abs(a.value);
  const double y = std::abs(b.value);
  return {a.value * b.value, x * b.magnitude + y * a.magnitude, x * b.carried + y * a.carried};
}

Element sigmoid_of(const Element& x) {
  const double value = 1 / (1 + std::exp(-x.value));
  return function(value, value * (1 - value), x);
}

Element tanh_of(const Element& x) {
  const double value = std::tanh(x.value);
  return function(value, 1 - value * value, x);
}

Element one_minus(const Element& x) { return {1 - x.value, 1 + x.magnitude, x.carried}; }

}  // namespace benanza::verify
