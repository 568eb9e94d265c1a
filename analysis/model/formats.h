#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/input/measurement.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// A call of a plan: who may make it, and the tensors that it reads and writes, as indices.
struct FormatStep {
  /// At least one; at most one for each layout.
  std::vector<const Measurement*> candidates{};
  std::vector<std::size_t> reads{};
  std::vector<std::size_t> writes{};
};

struct FormatTensor {
  /// Has several channels and several pixels, which layouts order differently.
  bool is_image = false;
  /// Of one conversion to another format.
  double conversion_seconds = 0;
  /// It has to be row-major before this step: a part of it is read where it is. The number of
  /// steps: the caller reads it after the last.
  std::optional<std::size_t> row_major_before{};
};

struct ChosenFormats {
  /// For each step, the index of its candidate.
  std::vector<std::size_t> candidates{};
  /// Ascending by step.
  std::vector<PlanConversion> conversions{};
  /// Of all steps and conversions.
  double seconds = 0;
};

/// The calls that take least together with the conversions between their formats: a tensor is
/// converted once for each format, other than its writer's, in which someone reads it. Calls of
/// Layout::any agree with each other. Found by exchanging one call at a time, from the fastest of
/// each step and from those of each layout: not always the least of all.
ChosenFormats choose_formats(const std::vector<FormatStep>& steps,
                             const std::vector<FormatTensor>& tensors);

}  // namespace benanza::analysis
