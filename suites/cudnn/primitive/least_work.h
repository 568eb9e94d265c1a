#pragma once

#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// The least that any call must do, for the physics guard. Never more than that: a true measurement
/// must not be called impossible.
struct LeastWork {
  /// direct_flops(), for engines of a convolution's gradients least_flops(); and least_bytes().
  Work work;
  /// Infinity for transforms (Winograd, FFT): the library does not say how large their tiles are.
  double arithmetic_saving = 1;
};
LeastWork least_work(const harness::Variant& variant);

}  // namespace benanza::cudnn
