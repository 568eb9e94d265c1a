#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// An eltwise algorithm of the library and its parameters.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

/// Throws Unsupported for a function that the library does not have.
Eltwise eltwise(const Activation& shape);

}  // namespace benanza::onednn
