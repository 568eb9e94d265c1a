// Smaller types, where calls were measured with them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/tensor_cores/profit.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// How far a type rounds: the larger, the coarser.
int coarseness(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 0;
    case Precision::tf32:
      return 1;
    case Precision::fp16:
    case Precision::bf16:
      return 2;
    case Precision::int8:
    case Precision::fp8:
      return 3;
  }
  return 0;
}

struct Gained {
  Precision precision = Precision::fp32;
  TensorCoreProfit profit{};
  double seconds() const {
    return profit.without_bounds.sequential.seconds - profit.with_bounds.sequential.seconds;
  }
};

/// The precision of these that gains most; empty if none gains.
std::optional<Gained> best_precision(const Matter& matter, std::span<const Precision> candidates) {
  const Subject& subject = matter.subject();
  std::optional<Gained> best;
  for (const Precision precision : candidates) {
    if (coarseness(precision) <= coarseness(subject.filter.precision)) continue;
    if (!is_measured_at(precision, subject)) continue;
    MeasurementFilter with = subject.filter;
    with.precision = precision;
    Gained gained{.precision = precision,
                  .profit = tensor_core_profit(matter.graph(), subject.measurements(), with,
                                               subject.filter.precision, subject.movement())};
    // A bound that lacks layers compares nothing.
    if (!gained.profit.left_out.empty() || gained.seconds() <= 0) continue;
    if (!best || gained.seconds() > best->seconds()) best = std::move(gained);
  }
  return best;
}

/// Layers that get faster.
std::vector<std::size_t> faster_layers(const TensorCoreProfit& profit) {
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer < profit.rows.size(); ++layer) {
    if (profit.rows[layer].profit_seconds().value_or(0) > 0) layers.push_back(layer);
  }
  return layers;
}

Finding finding_of(const Matter& matter, const Gained& gained) {
  const Bound& before = gained.profit.without_bounds.sequential;
  const Bound& after = gained.profit.with_bounds.sequential;
  const auto fallbacks = std::ranges::count_if(gained.profit.rows, &TensorCoreRow::fallback);
  return {
      .cause = "precision",
      .what = fmt::format(
          "At {} the bound is {}, at {} {}{}.", to_string(matter.subject().filter.precision),
          milliseconds(before.seconds), to_string(gained.precision), milliseconds(after.seconds),
          fallbacks == 0 ? std::string() : fmt::format(" ({} layers stay as they are)", fallbacks)),
      .layers = faster_layers(gained.profit),
      .gain_seconds = gained.seconds(),
      .interval = difference_interval(before.seconds, before.spread, after.seconds, after.spread),
      .affects = Affects::device,
      .leads_to_seconds = after.seconds,
      .remedy = remedy_for_precision(matter, gained.precision)};
}

/// Of 16 bits or TF32, and of 8: they ask for different work.
std::vector<Finding> lower_precision(const Matter& matter) {
  constexpr std::array halves{Precision::tf32, Precision::fp16, Precision::bf16};
  constexpr std::array bytes{Precision::int8, Precision::fp8};
  std::vector<Finding> findings;
  for (const std::span<const Precision> candidates :
       {std::span<const Precision>(halves), std::span<const Precision>(bytes)}) {
    if (const auto gained = best_precision(matter, candidates)) {
      findings.push_back(finding_of(matter, *gained));
    }
  }
  return findings;
}

}  // namespace

FindingKind lower_precision_kind() { return {lower_precision}; }

}  // namespace benanza::analysis
