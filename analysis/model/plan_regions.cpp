#include "analysis/model/plan_regions.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/model/arena.h"

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

/// Which earlier steps each step has to wait for: those that write what it reads or writes, or read
/// what it writes.
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

}  // namespace

std::vector<Region> regions_of(const Plan& plan) { return parallel_regions(Waits(plan).after()); }

void keep_regions(Plan& plan) {
  const std::vector<Region> regions = regions_of(plan);
  const auto around = [&](std::size_t step) {
    const auto found = std::ranges::find_if(
        regions, [&](const Region& region) { return region.first <= step && step < region.end; });
    return found == regions.end() ? Region{step, step + 1} : *found;
  };
  for (PlanBuffer& buffer : plan.buffers) {
    buffer.first = around(buffer.first).first;
    buffer.last = around(buffer.last).end - 1;
  }
  plan.arena_bytes = place_buffers(plan.buffers);
}

}  // namespace benanza::analysis
