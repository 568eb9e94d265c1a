#include "core/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace benanza {
MedianResampler::MedianResampler(const Groups& groups)
    : sorted_(groups.samples.begin(), groups.samples.end()),
      places_(groups.samples.size()),
      begins_{0},
      counts_(groups.samples.size()) {
  std::vector<std::uint32_t> order(sorted_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return groups.samples[a] < groups.samples[b];
  });
  for (std::size_t place = 0; place < order.size(); ++place) {
    sorted_[place] = groups.samples[order[place]];
    places_[order[place]] = static_cast<std::uint32_t>(place);
  }
  for (const std::size_t size : groups.sizes) begins_.push_back(begins_.back() + size);
  if (begins_.size() == 1) begins_.push_back(sorted_.size());
}

double MedianResampler::draw(Random& random) {
  const auto part_of = [](std::uint64_t bits, std::size_t count) {
    return static_cast<std::size_t>((bits & 0xffffffffU) * count >> 32);
  };
  std::fill(counts_.begin(), counts_.end(), 0U);
  const std::size_t groups = begins_.size() - 1;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t group = groups == 1 ? 0 : part_of(random(), groups);
    const std::uint32_t* places = places_.data() + begins_[group];
    const std::size_t size = begins_[group + 1] - begins_[group];
    for (std::size_t left = size; left > 0;) {  // two draws of each random number
      const std::uint64_t bits = random();
      ++counts_[places[part_of(bits, size)]];
      if (--left == 0) break;
      ++counts_[places[part_of(bits >> 32, size)]];
      --left;
    }
    drawn += size;
  }
  std::size_t place = 0;
  std::size_t seen = counts_[0];
  while (seen <= (drawn - 1) / 2) seen += counts_[++place];
  const double lower = sorted_[place];
  while (seen <= drawn / 2) seen += counts_[++place];
  return (lower + sorted_[place]) / 2;
}

Interval percentile_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto left_out =
      static_cast<std::size_t>(std::floor(0.025 * static_cast<double>(values.size())));
  return {values[left_out], values[values.size() - 1 - left_out]};
}

std::optional<Interval> median_interval(const Groups& groups) {
  if (groups.samples.size() < 2) return std::nullopt;
  Random random(bootstrap_seed);
  MedianResampler resampler(groups);
  std::vector<double> medians(bootstrap_draws);
  for (double& value : medians) value = resampler.draw(random);
  return percentile_interval(std::move(medians));
}

std::optional<Interval> ratio_interval(const Groups& numerator, const Groups& denominator) {
  if (numerator.samples.size() < 2 || denominator.samples.size() < 2) return std::nullopt;
  Random random(bootstrap_seed);
  MedianResampler above(numerator);
  MedianResampler below(denominator);
  std::vector<double> ratios(bootstrap_draws);
  for (double& ratio : ratios) {
    const double median_above = above.draw(random);
    ratio = median_above / below.draw(random);
  }
  return percentile_interval(std::move(ratios));
}

}  // namespace benanza
