#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace benanza::verify {

/// How an operand is filled: equal recipes make equal values.
struct Recipe {
  std::int64_t count = 0;
  std::uint64_t seed = 0;
  std::vector<float> palette{};
  bool operator==(const Recipe&) const = default;
};

/// Large operands of earlier problems, which later ones often have again: a matrix of weights, say,
/// with other batch sizes. Filling memory that was not in use takes longer than most calls do.
class OperandPool {
 public:
  /// Of all operands together; those put in longest ago are forgotten.
  explicit OperandPool(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Takes an operand out; empty where there is none of this recipe.
  std::optional<std::vector<float>> take(const Recipe& recipe);
  /// Small ones are not kept.
  void put(Recipe recipe, std::vector<float> values);

 private:
  struct Entry {
    Recipe recipe;
    std::vector<float> values;
  };

  std::int64_t capacity_bytes_;
  std::int64_t bytes_ = 0;
  /// Put in last in front.
  std::list<Entry> entries_;
};

}  // namespace benanza::verify
