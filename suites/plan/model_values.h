#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/plan_file/plan.h"
#include "suites/plan/values.h"

namespace benanza::plan {

/// The constants and inputs of a plan: those of a file, or random ones.
class ModelValues {
 public:
  /// `file`: null for random values. Both must outlive this.
  ModelValues(const Plan& plan, const Values* file);

  /// In float; lives as long as this. Throws Error if the file does not have the tensor, or if it
  /// has no known extents.
  std::span<const float> of(std::size_t tensor);
  /// As they lie in memory, part after part: take(bytes). Infinity where a tensor hides.
  void stored(std::size_t tensor, const std::function<void(std::span<const std::byte>)>& take);
  /// The fewest rows of those that the tensor's elements choose from.
  std::int64_t rows_chosen_by(std::size_t tensor) const;

 private:
  const Plan* plan_;
  const Values* file_;
  /// Random values for the largest tensor. The others take the first of them.
  std::unique_ptr<float[]> random_;
  std::map<std::size_t, std::vector<float>> indices_;
};

}  // namespace benanza::plan
