#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/input/measurement.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// The alignment of buffers in an arena, in bytes: that of cudaMalloc.
inline constexpr std::int64_t arena_alignment = 256;

/// Whether one of them is needed while the other is, with steps in order.
bool meet(const PlanBuffer& a, const PlanBuffer& b);

/// Whether two buffers, by their numbers, must not overlap.
using ShareNoPlace = std::function<bool(std::size_t, std::size_t)>;

/// Sets the offsets of the buffers so that no two overlap that `share_no_place`; null: that meet().
/// The largest first, each at the lowest place that is free (as in Y. Pisarchyk, J. Lee, "Efficient
/// Memory Management for Deep Neural Net Inference", 2020, greedy by size). Returns the arena's
/// bytes.
std::int64_t place_buffers(std::vector<PlanBuffer>& buffers,
                           const ShareNoPlace& share_no_place = nullptr);

/// For each step of the plan, the earlier ones that it has to wait for: those that write what it
/// reads or writes, or read what it writes.
std::vector<std::vector<std::size_t>> waits_of(const Plan& plan);

/// Places the buffers anew, so that steps which need not wait for each other do not wait for memory
/// either: one buffer takes another's place only if its steps wait for all of the other's. More
/// memory than for steps in order.
void place_for_branches(Plan& plan);

/// What a plan holds while it runs, in bytes.
struct PlanMemory {
  /// All tensors but constants.
  std::int64_t arena = 0;
  /// As the calls have them, if their rows say so; otherwise as the problems have them.
  std::int64_t constants = 0;
  /// Without what libraries hold for all of their calls.
  std::int64_t workspace = 0;
  /// Tensors in the formats of the expected conversions, which do not lie in the arena.
  std::int64_t converted = 0;
  std::int64_t total() const { return arena + constants + workspace + converted; }
  bool operator==(const PlanMemory&) const = default;
};

/// How calls have their workspace: one for all of them, or each its own, so that steps can run side
/// by side.
enum class Workspaces { shared, own };

/// `measurements`: of the plan's calls; a call that does not report its workspace has none.
PlanMemory memory_of(const Plan& plan, const MeasurementSet& measurements, Workspaces workspaces);

/// A plan among those with more and less memory.
struct MemoryPoint {
  double seconds = 0;
  PlanMemory memory{};
};

/// The plans of the front: none of the others is as fast (within 0.1%) with as little memory. `at`
/// makes the plan within a limit, and is empty if there is none; it is asked for at most
/// `most_limits` sizes of `workspace_bytes`, and for no limit. Ascending in memory.
std::vector<MemoryPoint> memory_front(
    std::vector<std::int64_t> workspace_bytes,
    const std::function<std::optional<MemoryPoint>(std::optional<std::int64_t> limit)>& at);
inline constexpr std::size_t most_limits = 12;

/// Of all calls at a precision that could be in a plan.
std::vector<std::int64_t> workspace_sizes(const MeasurementSet& measurements, Precision precision);

}  // namespace benanza::analysis
