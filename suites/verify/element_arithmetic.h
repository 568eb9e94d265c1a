#pragma once

#include "suites/verify/reference.h"

/// Arithmetic on Elements that propagates rounding errors to first order. A value that is used
/// twice counts twice, as if its errors were independent.
namespace benanza::verify {

/// A number whose rounding error is proportional to its own size.
Element constant(double value);

/// Errors of different elements are independent: their squares add.
Element operator+(const Element& a, const Element& b);
/// Accounts for the factors being stored.
Element operator*(const Element& a, const Element& b);

/// Account for the results being stored before they are used.
Element sigmoid_of(const Element& x);
Element tanh_of(const Element& x);
Element one_minus(const Element& x);

}  // namespace benanza::verify
