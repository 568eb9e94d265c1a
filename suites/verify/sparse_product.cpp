#include <cmath>

#include "suites/verify/operators.h"
#include "suites/verify/random.h"

namespace benanza::verify {

Element element(const SparseProduct& shape, Operands operands, const Dims& at) {
  const float* input = operands[0].data() + at[0] * shape.k;
  const float* weights = operands[1].data() + at[1] * shape.k;
  Element sum;
  for (std::int64_t i = 0; i < shape.k; ++i) {
    const double product = static_cast<double>(input[i]) * weights[i];
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  return sum;
}

/// Keeps exactly `nonzeros` elements, every choice equally likely, and sets the others to 0
/// (selection sampling: D. E. Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm
/// S).
void adjust_inputs(const SparseProduct& shape, std::vector<std::vector<float>>& values) {
  constexpr std::uint64_t seed = 2016;
  std::vector<float>& weights = values.at(1);
  auto wanted = static_cast<double>(shape.nonzeros);
  auto left = static_cast<double>(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i, --left) {
    const double draw = static_cast<double>(random_bits(seed, i) >> 11U) * 0x1p-53;
    if (draw * left < wanted) {
      --wanted;
    } else {
      weights[i] = 0;
    }
  }
}

}  // namespace benanza::verify
