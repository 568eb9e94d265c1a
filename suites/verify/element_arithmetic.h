#pragma once

#include "suites/verify/reference.h"

/// Elements as results of a computation: what each step may round is carried along, to first order.
/// A value that is used twice counts twice, as if its errors were independent.
namespace benanza::verify {

/// A number that is as large as its rounding.
Element constant(double value);

/// Errors of different elements are independent: their squares add.
Element operator+(const Element& a, const Element& b);
/// The factors may have been stored.
Element operator*(const Element& a, const Element& b);

/// Their results may be stored before they are used.
Element sigmoid_of(const Element& x);
Element tanh_of(const Element& x);
Element one_minus(const Element& x);

}  // namespace benanza::verify
