#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace benanza::zoo {

/// The role of a weight in its layer, which determines its values.
enum class Use { kernel, bias, scale, mean, variance, slope };

/// The value of all elements of a weightless model's tensor, chosen so that activations stay finite
/// at any depth: 1 / fan_in for a kernel (every output is then a mean of inputs), 0.5 for
/// everything else. `fan_in`: products summed into one output element.
float constant_value(Use use, std::int64_t fan_in);

/// Random values that depend only on the seed, not on the platform or standard library.
class RandomWeights {
 public:
  explicit RandomWeights(std::uint64_t seed) : engine_(seed) {}

  /// kernel: uniform with the variance 2 / fan_in of He et al. (ICCV 2015). bias, mean: within 0.1
  /// of 0. scale: 0.5 to 1. variance: 0.5 to 1.5, never 0. slope (of PRelu): 0 to 0.3.
  void fill(std::span<float> values, Use use, std::int64_t fan_in);

 private:
  std::mt19937_64 engine_;
};

}  // namespace benanza::zoo
