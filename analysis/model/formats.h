#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/input/measurement.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// A call of a plan: who may make it, and the tensors that it reads and writes, as indices.
struct FormatStep {
  /// At least one.
  std::vector<const Measurement*> candidates{};
  std::vector<std::size_t> reads{};
  /// Which operands of the problem they are; empty: in its order.
  std::vector<std::size_t> operands{};
  std::vector<std::size_t> writes{};
  /// By candidate, for each of `reads`: it has to be written in the format in which it is read;
  /// empty: conversions do.
  std::vector<std::vector<bool>> as_written{};
};

struct FormatTensor {
  /// Has several channels and several pixels, which layouts order differently. For calls that do
  /// not say how their tensors lie in memory (Measurement::operand_formats).
  bool is_image = false;
  /// Of one conversion to another format, as estimated.
  double conversion_seconds = 0;
  /// Of the copy from row-major to channels last and back, as measured; empty: not measured. Other
  /// formats of images take about as long.
  std::optional<double> from_row_major_seconds{};
  std::optional<double> to_row_major_seconds{};
  /// It has to be row-major before this step: a part of it is read where it is. The number of
  /// steps: the caller reads it after the last.
  std::optional<std::size_t> row_major_before{};
};

/// Seconds of conversions that were measured, by the names of both formats.
using MeasuredConversions = std::map<std::pair<std::string, std::string>, double>;

struct ChosenFormats {
  /// For each step, the index of its candidate.
  std::vector<std::size_t> candidates{};
  /// Ascending by step.
  std::vector<PlanConversion> conversions{};
  /// Of all steps and conversions.
  double seconds = 0;
};

inline constexpr std::string_view row_major_format = "row-major";

/// How the call has an operand or a result in memory; equal names are the same format. Without a
/// word of the call: "row-major", and for images in nhwc or Layout::any "nhwc" and "of the
/// library".
std::string operand_format(const Measurement& call, std::size_t operand, bool is_image);
std::string result_format(const Measurement& call, std::size_t result, bool is_image);

/// The calls that take least together with the conversions between their formats: a tensor is
/// converted once for each format, other than its writer's, in which someone reads it. Found step
/// by step, keeping the best beginnings for each choice of formats, and by exchanging one call at a
/// time: not always the least of all.
ChosenFormats choose_formats(const std::vector<FormatStep>& steps,
                             const std::vector<FormatTensor>& tensors,
                             const MeasuredConversions& measured = {});

}  // namespace benanza::analysis
