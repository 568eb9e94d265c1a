#include "analysis/model/plan_waits.h"

#include <algorithm>
#include <utility>

#include "analysis/model/arena.h"
#include "core/plan_file/accesses.h"

namespace benanza::analysis {
namespace {

/// That a step reads or writes a buffer.
struct Use {
  std::size_t step = 0;
  bool writes = false;
};

/// What a plan's steps read and write, each buffer in a place of its own.
class PlanAccesses {
 public:
  explicit PlanAccesses(const Plan& plan) : plan_(plan), of_buffers_(plan.buffers.size()) {
    std::uintptr_t next = 0;
    for (const PlanBuffer& buffer : plan.buffers) {
      begins_.push_back(next);
      next += static_cast<std::uintptr_t>(buffer.elements);
    }
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
      of_steps_.emplace_back();
      for (const FlowOperand& operand : plan.steps[step].work.operands) {
        if (operand.kind == FlowOperand::Kind::tensor) add(operand.index, false);
      }
      for (const std::size_t result : plan.steps[step].results) add(result, true);
    }
  }

  const std::vector<std::vector<Access>>& of_steps() const { return of_steps_; }
  const std::vector<Use>& of_buffer(std::size_t buffer) const { return of_buffers_[buffer]; }

 private:
  /// With the parts that make up the tensor.
  void add(std::size_t index, bool writes) {
    const PlanTensor& tensor = plan_.tensors[index];
    for (const JoinedPart& part : tensor.joins) add(part.tensor, writes);
    if (!tensor.buffer) return;
    const std::int64_t elements = tensor.shape
                                      ? element_count(*tensor.shape)
                                      : plan_.buffers[*tensor.buffer].elements - tensor.offset;
    of_steps_.back().push_back(
        {begins_[*tensor.buffer] + static_cast<std::uintptr_t>(tensor.offset), elements, writes});
    of_buffers_[*tensor.buffer].push_back({of_steps_.size() - 1, writes});
  }

  const Plan& plan_;
  /// In elements.
  std::vector<std::uintptr_t> begins_;
  std::vector<std::vector<Access>> of_steps_;
  std::vector<std::vector<Use>> of_buffers_;
};

/// Whether all steps that write `later` wait for all that use `earlier`.
bool comes_after(const std::vector<Use>& later, const std::vector<Use>& earlier,
                 const std::vector<std::vector<bool>>& before) {
  return std::ranges::all_of(later, [&](const Use& use) {
    return !use.writes || std::ranges::all_of(earlier, [&](const Use& other) {
      return before[use.step][other.step];
    });
  });
}

}  // namespace

std::vector<std::vector<std::size_t>> waits_of(const Plan& plan) {
  return dependencies(PlanAccesses(plan).of_steps());
}

void place_for_branches(Plan& plan) {
  const PlanAccesses accesses(plan);
  const std::vector<std::vector<bool>> before = all_before(dependencies(accesses.of_steps()));
  plan.arena_bytes = place_buffers(plan.buffers, [&](std::size_t one, std::size_t other) {
    if (meet(plan.buffers[one], plan.buffers[other])) return true;
    if (plan.buffers[one].first < plan.buffers[other].first) std::swap(one, other);
    return !comes_after(accesses.of_buffer(one), accesses.of_buffer(other), before);
  });
}

}  // namespace benanza::analysis
