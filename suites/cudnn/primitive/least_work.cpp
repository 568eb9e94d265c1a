#include "suites/cudnn/primitive/least_work.h"

#include <cmath>
#include <limits>

#include "core/problem/least_work.h"

namespace benanza::cudnn {

LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits,
                     bool of_engine) {
  LeastWork least{.work = work(problem, precision)};
  least.work.flops = direct_flops(problem);
  least.work.bytes_read = std::llround(least_read_bytes(problem, precision));
  // Gradient engines that multiply transforms do not always report it: cuDNN 9.14's engine17 took
  // 94 us on an H200 for filters of 32x512x7x7_k512x3x3, whose products take 118 us at peak.
  const bool may_transform = std::holds_alternative<ConvolutionFilterGradient>(problem.shape) ||
                             std::holds_alternative<Deconvolution>(problem.shape);
  if (may_transform && of_engine) least.work.flops = least_flops(problem);
  if (traits.transforms) {
    least.arithmetic_saving = std::numeric_limits<double>::infinity();
  }
  return least;
}

}  // namespace benanza::cudnn
