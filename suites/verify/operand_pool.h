#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace benanza::verify {

/// How an operand is filled: equal recipes produce equal values.
struct Recipe {
  std::int64_t count = 0;
  std::uint64_t seed = 0;
  std::vector<float> palette{};
  bool operator==(const Recipe&) const = default;
};

/// Caches large operands of earlier problems, because later problems often need the same ones: a
/// matrix of weights, say, with other batch sizes. Filling memory that was not in use takes longer
/// than most calls.
class OperandPool {
 public:
  /// The capacity is for all operands together; the oldest are evicted first.
  explicit OperandPool(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Takes an operand out of the pool; empty if there is none with this recipe.
  std::optional<std::vector<float>> take(const Recipe& recipe);
  /// Adds an operand. Small ones are not kept.
  void put(Recipe recipe, std::vector<float> values);

 private:
  struct Entry {
    Recipe recipe;
    std::vector<float> values;
  };

  std::int64_t capacity_bytes_;
  std::int64_t bytes_ = 0;
  /// Most recently added first.
  std::list<Entry> entries_;
};

}  // namespace benanza::verify
