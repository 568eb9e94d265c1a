#include "suites/verify/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "suites/verify/element_arithmetic.h"

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

double in_range(double value, Precision precision) {
  return std::abs(value) >= largest_number(precision) ? std::copysign(HUGE_VAL, value) : value;
}

WrittenView view_of(const Problem& problem) {
  return std::visit([](const auto& shape) { return written_view(shape); }, problem.shape);
}

std::int64_t position(const Dims& at, const Dims& strides) {
  std::int64_t flat_index = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) flat_index += at[axis] * strides[axis];
  return flat_index;
}

namespace {

constexpr float integer_poison = -128;

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.7g", value);
  return buffer;
}

std::string where(const Dims& at) { return "element (" + join(at, ',') + "): "; }

/// A sample and the value that the call computed for it.
struct Compared {
  const VerificationCase::Sample* sample;
  double value;
  /// 0 also for the same infinity.
  double error() const {
    const double expected = sample->expected.value;
    return value == expected ? 0 : std::abs(value - expected);
  }
};

std::string mismatch(const Compared& compared, double allowed) {
  return where(compared.sample->at) + text(compared.value) + ", expected " +
         text(compared.sample->expected.value) + " (tolerance " + text(allowed) + ")";
}

/// Empty if every value is within `allowed` of its sample.
template <class Allowed>
std::string compare(const std::vector<Compared>& all, const Allowed& allowed) {
  for (const Compared& compared : all) {
    const double most = allowed(*compared.sample);
    // NaN compares false, so it is a mismatch.
    if (!(compared.error() <= most)) return mismatch(compared, most);
  }
  return {};
}

/// The root mean square of `error`. `all` must not be empty.
template <class Error>
double root_mean_square(const std::vector<Compared>& all, const Error& error) {
  double squares = 0;
  for (const Compared& compared : all) squares += std::pow(error(compared), 2);
  return std::sqrt(squares / static_cast<double>(all.size()));
}

/// For an algorithm that transforms its operands: empty if transform_tolerance() allows all errors.
std::string compare_transformed(const std::vector<Compared>& all, const Problem& problem,
                                Precision precision) {
  double largest = 0;
  for (const Compared& compared : all) {
    largest = std::max(largest, compared.sample->expected.magnitude);
  }
  const double allowed = transform_tolerance(precision, problem, largest);
  std::string message = compare(all, [&](const auto&) { return allowed; });
  if (!message.empty()) return message;
  const double error = root_mean_square(all, [](const Compared& one) { return one.error(); });
  if (error <= allowed / 2) return {};
  return "root mean square error " + text(error) + " (tolerance " + text(allowed / 2) + ")";
}

/// For products at fp32: empty if fp32_product_tolerance() allows the errors.
std::string compare_products(std::vector<Compared> all, std::int64_t length, double amplification) {
  std::erase_if(all, [](const Compared& one) { return one.sample->expected.magnitude == 0; });
  if (all.empty()) return {};
  const double root = std::sqrt(static_cast<double>(length));
  const double error = root_mean_square(all, [&](const Compared& one) {
    return one.error() / (one.sample->expected.magnitude / root);
  });
  const double allowed = fp32_product_tolerance(length, amplification);
  if (error <= allowed) return {};
  return "root mean square error " + text(error) + " of a typical sum (tolerance " + text(allowed) +
         "): products of a shorter type than fp32?";
}

/// The coordinates of the first `most` written elements that hold the poison.
std::vector<Dims> poisoned(const std::vector<float>& result, const WrittenView& view,
                           Precision precision, std::size_t most) {
  const bool integers = precision == Precision::int8;
  const auto holds_poison = [integers](float value) {
    return integers ? value == integer_poison : std::isnan(value);
  };
  std::vector<Dims> found;
  // The innermost axis has its own loop, because results have millions of elements.
  Dims outer = view.dims;
  const std::int64_t row = outer.empty() ? 1 : outer.back();
  const std::int64_t stride = outer.empty() ? 1 : view.strides.back();
  if (!outer.empty()) outer.back() = 1;
  Dims at(outer.size(), 0);
  do {
    const float* values = result.data() + position(at, view.strides);
    for (std::int64_t i = 0; i < row; ++i) {
      if (!holds_poison(values[i * stride])) continue;
      found.push_back(at);
      if (!at.empty()) found.back().back() = i;
      if (found.size() == most) return found;
    }
  } while (advance(at, outer));
  return found;
}

double dropped_share_of(const Problem& problem) {
  return std::visit([](const auto& shape) { return dropped_share(shape); }, problem.shape);
}

/// Empty if about `share` of the elements are 0: within six standard deviations for independent
/// draws, plus one half for rounding when there are few elements.
std::string compare_share(const std::vector<float>& result, double share) {
  const auto dropped = static_cast<double>(std::count(result.begin(), result.end(), 0.0F));
  const auto count = static_cast<double>(result.size());
  if (std::abs(dropped - share * count) <= 0.5 + 6 * std::sqrt(count * share * (1 - share))) {
    return {};
  }
  return text(dropped) + " of " + text(count) + " elements are dropped, expected a share of " +
         text(share);
}

constexpr std::string_view no_number = "not a number, or not written";

/// Compares the result of a call, or a glimpse of it, with the samples of its case.
class Comparison {
 public:
  Comparison(harness::Primitive& primitive, const Problem& problem, Precision precision,
             const VerificationCase& expected, const harness::Traits& traits)
      : problem_(problem),
        precision_(precision),
        expected_(expected),
        traits_(traits),
        collective_(std::get_if<Collective>(&problem.shape)),
        dropped_share_(dropped_share_of(problem)) {
    // Only the whole result will do: at int8, -128 may be correct; a view may have gaps; dropped
    // elements are counted; all elements of a collective are compared.
    const bool needs_whole = precision == Precision::int8 || dropped_share_ > 0 || collective_ ||
                             written_elements(problem) != element_count(output(problem));
    if (!needs_whole) glimpse_ = primitive.glimpse(expected.places());
    result_ = glimpse_ ? std::move(glimpse_->values) : primitive.download();
  }

  /// The first mistake found; empty if there is none.
  std::string mistake() const {
    for (const auto check : {&Comparison::unwritten, &Comparison::wrong_sample,
                             &Comparison::wrong_element, &Comparison::wrong_share}) {
      if (std::string message = (this->*check)(); !message.empty()) return message;
    }
    return {};
  }

 private:
  using Sample = VerificationCase::Sample;

  /// Over keys and values of 8-bit floats, queries, weights and results may become such, too.
  Precision rounded_to() const {
    const bool reads_bytes = problem_.packed && std::holds_alternative<Attention>(problem_.shape);
    return reads_bytes ? Precision::fp8 : precision_;
  }
  double allowed(const Sample& sample) const {
    return tolerance(rounded_to(), sample.expected, reduction_length(problem_),
                     traits_.rounding_amplification, traits_.partial_sums);
  }
  std::string compare(const std::vector<Compared>& all) const {
    return verify::compare(all, [this](const Sample& sample) { return allowed(sample); });
  }
  /// A sample with the call's value, which is at `place` of the result.
  Compared compared(const Sample& sample, std::int64_t place) const {
    const double value = result_[static_cast<std::size_t>(place)];
    return {&sample, precision_ == Precision::int8 ? value : in_range(value, precision_)};
  }

  /// Of the result's size, and of elements that hold the poison and should not.
  std::string unwritten() const {
    if (glimpse_ && glimpse_->poisoned) {
      return where(unravel(*glimpse_->poisoned, output(problem_))) + std::string(no_number);
    }
    const std::int64_t expected_size = glimpse_
                                           ? static_cast<std::int64_t>(expected_.samples().size())
                                           : element_count(output(problem_));
    if (static_cast<std::int64_t>(result_.size()) != expected_size) {
      return "the result has " + std::to_string(result_.size()) + " elements, expected " +
             std::to_string(expected_size);
    }
    if (glimpse_) return {};
    const std::size_t most_suspects = precision_ == Precision::int8 ? 16 : 1;
    for (const Dims& at : poisoned(result_, view_of(problem_), precision_, most_suspects)) {
      if (precision_ != Precision::int8) return where(at) + std::string(no_number);
      const Sample suspect = expected_.sample(at);
      if (std::string message = compare({compared(suspect, suspect.flat_index)});
          !message.empty()) {
        return message;
      }
    }
    return {};
  }

  std::string wrong_sample() const {
    std::vector<Compared> all;
    for (std::size_t index = 0; index < expected_.samples().size(); ++index) {
      const Sample& sample = expected_.samples()[index];
      all.push_back(
          compared(sample, glimpse_ ? static_cast<std::int64_t>(index) : sample.flat_index));
      if (dropped_share_ > 0 && all.back().value == 0) all.pop_back();
    }
    std::string message = compare(all);
    if (!message.empty() && traits_.transforms) {
      message = compare_transformed(all, problem_, precision_);
    }
    if (message.empty() && precision_ == Precision::fp32 && is_product(problem_)) {
      message = compare_products(all, reduction_length(problem_), traits_.rounding_amplification);
    }
    return message;
  }

  /// Of a collective: data that went astray may be as small as one rank's share of a buffer.
  std::string wrong_element() const {
    if (collective_ == nullptr || precision_ == Precision::int8) return {};
    const auto place = first_wrong(*collective_, precision_, expected_.operands(), result_);
    if (!place) return {};
    const Sample wrong = expected_.sample(unravel(*place, output(problem_)));
    return mismatch(compared(wrong, wrong.flat_index), allowed(wrong));
  }

  std::string wrong_share() const {
    return dropped_share_ > 0 ? compare_share(result_, dropped_share_) : std::string();
  }

  const Problem& problem_;
  Precision precision_;
  const VerificationCase& expected_;
  const harness::Traits& traits_;
  const Collective* collective_;
  double dropped_share_;
  std::optional<harness::Primitive::Glimpse> glimpse_;
  std::vector<float> result_;
};

}  // namespace

std::string mistake_of(harness::Primitive& primitive, const Problem& problem, Precision precision,
                       const VerificationCase& expected, const harness::Traits& traits) {
  return Comparison(primitive, problem, precision, expected, traits).mistake();
}

}  // namespace benanza::verify
