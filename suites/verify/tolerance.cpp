#include "suites/verify/tolerance.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace benanza::verify {
namespace {

/// Absolute and relative error of storing a result.
struct Storage {
  double absolute;
  double relative;
};

Storage storage(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return {0, 0x1p-23};
    case Precision::fp16:
      return {0x1p-24, 0x1p-10};
    case Precision::bf16:
      return {0, 0x1p-7};
    case Precision::fp8:
      return {0x1p-9, 0x1p-3};
    case Precision::int8:
      return {0.5, 0};
  }
  throw std::logic_error("unknown precision");
}

/// The relative error of a computed factor of a product.
double factor_rounding(Precision precision) {
  return precision == Precision::tf32 ? 0x1p-10 : storage(precision).relative;
}

/// The channels that a convolution adds up; 1 for other problems.
double summed_channels(const Problem& problem) {
  const auto of_group = [](const auto& shape) {
    return static_cast<double>(shape.input[1] / shape.groups);
  };
  if (const auto* shape = std::get_if<Convolution>(&problem.shape)) return of_group(*shape);
  if (const auto* shape = std::get_if<Deconvolution>(&problem.shape)) return of_group(*shape);
  return 1;
}

}  // namespace

double tolerance(Precision precision, const Element& element, std::int64_t length,
                 double amplification, double partial_sums) {
  if (std::isinf(element.value)) return 0;
  const Storage stored = storage(precision);
  const auto terms = static_cast<double>(length);
  const double root = std::sqrt(terms);
  const double typical = length > 1 ? element.magnitude / root : 0;
  const double spread = std::sqrt(partial_sums);
  const double rounded = std::max(1.0, spread / 2) * std::abs(element.value) + spread * typical;
  const double reused = precision == Precision::int8 ? 1 : factor_rounding(precision);
  const double share = element.magnitude > 0 ? std::abs(element.value) / element.magnitude : 0;
  const double alike = 1 + 3 * std::min(share, 1.0);
  const double summing = amplification * (16 + root + terms / 256 * alike) * 0x1p-24;
  return stored.absolute + stored.relative * rounded + reused * element.carried +
         summing * element.magnitude;
}

double largest_number(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return 0x1.fffffep127;
    case Precision::fp16:
      return 65504;
    case Precision::bf16:
      return 0x1.fep127;
    case Precision::fp8:
      return 448;
    case Precision::int8:
      return 127;
  }
  throw std::logic_error("unknown precision");
}

double fp32_product_tolerance(std::int64_t length, double amplification) {
  return 0x1p-14 + amplification * std::sqrt(static_cast<double>(length)) * 0x1p-24;
}

double transform_tolerance(Precision precision, const Problem& problem, double largest_magnitude) {
  return 16 * factor_rounding(precision) * largest_magnitude / summed_channels(problem);
}

}  // namespace benanza::verify
