#include "models/zoo/weights.h"

#include <cmath>

namespace benanza::zoo {
namespace {

struct Range {
  float low;
  float high;
};

Range range(Use use, std::int64_t fan_in) {
  switch (use) {
    case Use::kernel: {
      // A uniform distribution over [-a, a] has variance a^2 / 3.
      const float bound = std::sqrt(6.0F / static_cast<float>(fan_in));
      return {-bound, bound};
    }
    case Use::bias:
    case Use::mean:
      return {-0.1F, 0.1F};
    case Use::scale:
      return {0.5F, 1.0F};
    case Use::variance:
      return {0.5F, 1.5F};
    case Use::slope:
      return {0, 0.3F};
  }
  return {0, 0};
}

}  // namespace

float constant_value(Use use, std::int64_t fan_in) {
  return use == Use::kernel ? 1.0F / static_cast<float>(fan_in) : 0.5F;
}

void RandomWeights::fill(std::span<float> values, Use use, std::int64_t fan_in) {
  const auto [low, high] = range(use, fan_in);
  for (float& value : values) {
    // The top 24 bits fill a float's mantissa: a value in [0, 1), equal with every standard
    // library.
    const float unit = static_cast<float>(engine_() >> 40U) * 0x1p-24F;
    value = low + (high - low) * unit;
  }
}

}  // namespace benanza::zoo
