#include "suites/cudnn/primitive/least_work.h"

#include <cmath>
#include <limits>

#include "core/problem/least_work.h"

namespace benanza::cudnn {

LeastWork least_work(const harness::Variant& variant) {
  const auto& [problem, precision, layout, algorithm] = variant;
  LeastWork least{.work = work(problem, precision)};
  least.work.flops = direct_flops(problem);
  least.work.bytes_read = std::llround(least_read_bytes(problem, precision));
  if (harness::transforms(algorithm)) {
    least.arithmetic_saving = std::numeric_limits<double>::infinity();
  }
  return least;
}

}  // namespace benanza::cudnn
