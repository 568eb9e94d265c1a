#include "analysis/model/plan_waits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/model/arena.h"
#include "core/plan_file/regions.h"

namespace benanza::analysis {
namespace {

/// Elements of a buffer that a step reads or writes.
struct Use {
  std::size_t step = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool writes = false;
  bool meets(const Use& other) const {
    return (writes || other.writes) && first < other.end && other.first < end;
  }
};

Use use_of(const PlanTensor& tensor, std::size_t step, bool writes) {
  const std::int64_t end = tensor.shape ? tensor.offset + element_count(*tensor.shape)
                                        : std::numeric_limits<std::int64_t>::max();
  return {step, tensor.offset, end, writes};
}

/// What waits for what, and who uses which buffer.
class Waits {
 public:
  explicit Waits(const Plan& plan) : plan_(plan) {
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
      std::vector<std::size_t>& own = after_.emplace_back();
      for (const FlowOperand& operand : plan.steps[step].work.operands) {
        if (operand.kind == FlowOperand::Kind::tensor) add(operand.index, step, false);
      }
      for (const std::size_t result : plan.steps[step].results) add(result, step, true);
      std::ranges::sort(own);
      own.erase(std::ranges::unique(own).begin(), own.end());
    }
  }
  const std::vector<std::vector<std::size_t>>& after() const { return after_; }
  /// What steps do with a buffer.
  const std::vector<Use>& uses(std::size_t buffer) const {
    static const std::vector<Use> none;
    const auto found = uses_.find(buffer);
    return found == uses_.end() ? none : found->second;
  }

 private:
  /// With the parts that make up the tensor.
  void add(std::size_t index, std::size_t step, bool writes) {
    const PlanTensor& tensor = plan_.tensors[index];
    for (const JoinedPart& part : tensor.joins) add(part.tensor, step, writes);
    if (!tensor.buffer) return;
    const Use use = use_of(tensor, step, writes);
    std::vector<Use>& known = uses_[*tensor.buffer];
    for (const Use& other : known) {
      if (other.step != step && other.meets(use)) after_[step].push_back(other.step);
    }
    known.push_back(use);
  }

  const Plan& plan_;
  /// By buffer.
  std::map<std::size_t, std::vector<Use>> uses_;
  std::vector<std::vector<std::size_t>> after_;
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

std::vector<std::vector<std::size_t>> waits_of(const Plan& plan) { return Waits(plan).after(); }

void place_for_branches(Plan& plan) {
  const Waits waits(plan);
  const std::vector<std::vector<bool>> before = all_before(waits.after());
  plan.arena_bytes = place_buffers(plan.buffers, [&](std::size_t one, std::size_t other) {
    if (meet(plan.buffers[one], plan.buffers[other])) return true;
    if (plan.buffers[one].first < plan.buffers[other].first) std::swap(one, other);
    return !comes_after(waits.uses(one), waits.uses(other), before);
  });
}

}  // namespace benanza::analysis
