#include "core/statistics/repetitions.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>

namespace benanza {
namespace {

double sum_of_squares(std::span<const double> values) {
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum;
}

/// P(sum of the positive ranks >= `sum`) for `count` ranks with random signs.
double exact_rank_probability(std::size_t count, double sum) {
  const std::size_t most = count * (count + 1) / 2;
  std::vector<double> probability(most + 1, 0.0);
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t total = most + 1; total-- > 0;) {
      const double with = total >= rank ? probability[total - rank] : 0;
      probability[total] = (probability[total] + with) / 2;
    }
  }
  double tail = 0;
  for (std::size_t total = most + 1; total-- > 0;) {
    if (static_cast<double>(total) < sum) break;
    tail += probability[total];
  }
  return std::min(tail, 1.0);
}

/// Solves trigamma(x) = value by Newton's method on 1 / trigamma, which is nearly linear (Smyth,
/// appendix).
double inverse_trigamma(double value) {
  if (value > 1e7) return 1 / std::sqrt(value);
  if (value < 1e-6) return 1 / value;
  double x = 0.5 + 1 / value;
  for (int i = 0; i < 50; ++i) {
    const double at = boost::math::trigamma(x);
    const double step = at * (1 - at / value) / boost::math::polygamma(2, x);
    x += step;
    if (-step / x < 1e-8) break;
  }
  return x;
}

}  // namespace

std::size_t trimmed_count(std::size_t count) {
  if (count < 3) return 0;
  return std::max<std::size_t>(1, count / 5);
}

double trimmed_mean(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  const std::size_t trimmed = trimmed_count(ordered.size());
  return mean(std::span(ordered).subspan(trimmed, ordered.size() - 2 * trimmed));
}

std::vector<double> winsorized(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  if (result.empty()) return result;
  const std::vector<double> ordered = sorted(values);
  const std::size_t trimmed = trimmed_count(ordered.size());
  const double low = ordered[trimmed];
  const double high = ordered[ordered.size() - 1 - trimmed];
  for (double& value : result) value = std::clamp(value, low, high);
  return result;
}

Interval Uncertain::interval() const {
  if (standard_error == 0) return {value, value};
  const double quantile = boost::math::quantile(boost::math::students_t(degrees), 0.975);
  return {value - quantile * standard_error, value + quantile * standard_error};
}

double Uncertain::probability_above(double limit) const {
  if (standard_error == 0) return value > limit ? 0 : 1;
  const double t = (value - limit) / standard_error;
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

void RepetitionSum::add(std::span<const double> values) {
  value_ += trimmed_mean(values);
  layers_.emplace_back(values.begin(), values.end());
}

std::optional<Uncertain> RepetitionSum::estimate() const {
  if (layers_.empty()) return std::nullopt;
  const std::size_t count = std::ranges::min_element(layers_, [](const auto& a, const auto& b) {
                              return a.size() < b.size();
                            })->size();
  if (count < least_repetitions) return std::nullopt;
  std::vector<double> sums(count, 0.0);
  double deviations = 0;
  for (const std::vector<double>& layer : layers_) {
    const std::vector<double> parts = winsorized(std::span(layer).first(count));
    for (std::size_t i = 0; i < count; ++i) sums[i] += parts[i];
    deviations += std::sqrt(sum_of_squares(parts));
  }
  const double squares = sum_of_squares(sums);
  // Where the repetitions are equal, both are rounding, and their quotient may be anything.
  const double together = deviations == 0 ? 1 : std::min(1.0, squares / (deviations * deviations));
  const auto trimmed = static_cast<double>(2 * trimmed_count(count));
  const double kept = static_cast<double>(count) - trimmed;
  return Uncertain{.value = value_,
                   .standard_error = std::sqrt(squares / (kept * (kept - 1))),
                   .degrees = static_cast<double>(count) - 1 - trimmed * together};
}

std::optional<Uncertain> log_time(std::span<const double> repetition_seconds) {
  if (repetition_seconds.size() < least_repetitions) return std::nullopt;
  std::vector<double> logs(repetition_seconds.size());
  std::transform(repetition_seconds.begin(), repetition_seconds.end(), logs.begin(),
                 [](double seconds) { return std::log(seconds); });
  RepetitionSum sum;
  sum.add(logs);
  return sum.estimate();
}

Uncertain difference(const Uncertain& a, const Uncertain& b) {
  const double of_a = a.standard_error * a.standard_error;
  const double of_b = b.standard_error * b.standard_error;
  const double variance = of_a + of_b;
  const double degrees =
      variance == 0 ? a.degrees + b.degrees
                    : variance * variance / (of_a * of_a / a.degrees + of_b * of_b / b.degrees);
  return {.value = a.value - b.value, .standard_error = std::sqrt(variance), .degrees = degrees};
}

void moderate(std::span<Uncertain> estimates) {
  // Logarithms of the variances, corrected for the bias due to their degrees of freedom.
  std::vector<double> logs;
  double own_variance = 0;
  for (const Uncertain& one : estimates) {
    if (one.standard_error <= 0) continue;
    const double half = one.degrees / 2;
    logs.push_back(2 * std::log(one.standard_error) - boost::math::digamma(half) + std::log(half));
    own_variance += boost::math::trigamma(half);
  }
  if (logs.size() < least_moderated) return;
  const auto count = static_cast<double>(logs.size());
  const double excess = sum_of_squares(logs) / (count - 1) - own_variance / count;
  // If the errors differ by no more than chance: so many that more would make no difference.
  constexpr double most_degrees = 1000;
  const double degrees =
      excess > 0 ? std::min(most_degrees, 2 * inverse_trigamma(excess)) : most_degrees;
  const double variance =
      std::exp(mean(logs) + boost::math::digamma(degrees / 2) - std::log(degrees / 2));
  for (Uncertain& one : estimates) {
    const double own = one.standard_error * one.standard_error;
    const double all = one.degrees + degrees;
    one.standard_error = std::sqrt((degrees * variance + one.degrees * own) / all);
    one.degrees = all;
  }
}

std::vector<double> holm_adjusted(std::span<const double> probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  std::vector<double> adjusted(probabilities.size());
  double highest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto left = static_cast<double>(order.size() - place);
    highest = std::max(highest, std::min(1.0, left * probabilities[order[place]]));
    adjusted[order[place]] = highest;
  }
  return adjusted;
}

double signed_rank_probability(std::span<const double> differences) {
  if (differences.empty()) return 1;
  std::vector<double> ordered(differences.begin(), differences.end());
  std::ranges::sort(ordered, [](double a, double b) { return std::abs(a) < std::abs(b); });
  double positive = 0;
  for (std::size_t begin = 0; begin < ordered.size();) {
    std::size_t end = begin;
    while (end < ordered.size() && std::abs(ordered[end]) == std::abs(ordered[begin])) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;  // ties share their mean rank
    for (std::size_t i = begin; i < end; ++i) {
      if (ordered[i] > 0) positive += rank;
      if (ordered[i] == 0) positive += rank / 2;
    }
    begin = end;
  }
  constexpr std::size_t exact_limit = 60;
  if (ordered.size() <= exact_limit) return exact_rank_probability(ordered.size(), positive);
  const auto count = static_cast<double>(ordered.size());
  const double center = count * (count + 1) / 4;
  const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
  const double z = (positive - 0.5 - center) / deviation;
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

}  // namespace benanza
