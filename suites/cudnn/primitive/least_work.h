#pragma once

#include "suites/harness/way.h"

namespace benanza::cudnn {

/// A lower bound on the work of any call, for the physics guard. If it were too high, correct
/// measurements would be rejected as impossible.
struct LeastWork {
  /// direct_flops(), or least_flops() for engines of a convolution's gradients; and least_bytes().
  Work work;
  /// Infinity for transforms (Winograd, FFT), because the library does not report their tile sizes.
  double arithmetic_saving = 1;
};
LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits,
                     bool of_engine);

}  // namespace benanza::cudnn
