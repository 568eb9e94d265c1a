#pragma once

#include <cstdint>

namespace benanza::verify {

/// Returns 64 random bits for every pair of seed and counter (the mixing function of SplitMix64).
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace benanza::verify
