#include "analysis/model/serving.h"

#include <algorithm>
#include <cmath>

namespace benanza::analysis {

double ServedMemory::bytes(double batch, double tokens) const {
  return weight_bytes + batch * (cache_bytes_per_token * tokens + cache_bytes_fixed);
}

std::optional<std::int64_t> largest_batch(const ServedMemory& memory, double tokens,
                                          double device_bytes) {
  const double each = memory.bytes(1, tokens) - memory.weight_bytes;
  if (!(each > 0)) return std::nullopt;
  return static_cast<std::int64_t>(
      std::max(0.0, std::floor((device_bytes - memory.weight_bytes) / each)));
}

double ServedBatch::seconds() const {
  return batch / prompts_at_once * prefill_seconds + (output_tokens - 1) * token_seconds;
}

double usd_per_million_tokens(double usd_per_hour, double tokens_per_second) {
  constexpr double seconds_per_hour = 3600;
  constexpr double million = 1e6;
  return usd_per_hour / seconds_per_hour / tokens_per_second * million;
}

std::vector<bool> front_of(const std::vector<Offer>& offers) {
  std::vector<bool> found;
  for (const Offer& one : offers) {
    found.push_back(std::ranges::none_of(offers, [&](const Offer& other) {
      const bool as_good = other.seconds <= one.seconds && other.per_second >= one.per_second;
      return as_good && (other.seconds < one.seconds || other.per_second > one.per_second);
    }));
  }
  return found;
}

}  // namespace benanza::analysis
