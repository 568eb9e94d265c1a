#include "suites/verify/operand_pool.h"

#include <algorithm>
#include <utility>

namespace benanza::verify {
namespace {

std::int64_t bytes_of(const std::vector<float>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(float));
}

}  // namespace

std::optional<std::vector<float>> OperandPool::take(const Recipe& recipe) {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.recipe == recipe; });
  if (found == entries_.end()) return std::nullopt;
  std::vector<float> values = std::move(found->values);
  bytes_ -= bytes_of(values);
  entries_.erase(found);
  return values;
}

void OperandPool::put(Recipe recipe, std::vector<float> values) {
  constexpr std::int64_t small = 1 << 20;
  const std::int64_t bytes = bytes_of(values);
  if (bytes < small || bytes > capacity_bytes_) return;
  bytes_ += bytes;
  entries_.push_front({std::move(recipe), std::move(values)});
  while (bytes_ > capacity_bytes_) {
    bytes_ -= bytes_of(entries_.back().values);
    entries_.pop_back();
  }
}

}  // namespace benanza::verify
