#include "analysis/model/plan_memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/plan_file/accesses.h"
#include "core/plan_file/plan.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

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

/// It has a place in a joined tensor, to which it is converted from where a step writes it.
bool is_part_in_place(const Plan& plan, std::size_t tensor) {
  for (std::size_t whole = 0; whole < plan.tensors.size(); ++whole) {
    for (const JoinedPart& part : plan.tensors[whole].joins) {
      if (part.tensor == tensor && is_in_place(plan, whole, part)) return part.format.empty();
    }
  }
  return false;
}

/// The first step that needs a block for it.
std::size_t first_step(const Plan& plan, const PlanConversion& conversion) {
  if (!is_part_in_place(plan, conversion.tensor)) return conversion.before_step;
  const auto writes = [&](const PlanStep& step) {
    return std::ranges::find(step.results, conversion.tensor) != step.results.end();
  };
  const auto found = std::ranges::find_if(plan.steps, writes);
  return found == plan.steps.end() ? conversion.before_step
                                   : static_cast<std::size_t>(found - plan.steps.begin());
}

/// As bench_plan holds them.
std::int64_t converted_bytes(const Plan& plan) {
  std::multimap<std::size_t, std::size_t> by_step;
  for (const PlanConversion& one : plan.conversions) {
    const PlanTensor& tensor = plan.tensors[one.tensor];
    if (tensor.buffer && tensor.shape) by_step.emplace(first_step(plan, one), one.tensor);
  }
  SpareBlocks blocks;
  for (const auto& [step, tensor] : by_step) {
    const PlanTensor& one = plan.tensors[tensor];
    blocks.take(element_count(*one.shape) * element_bytes_of(plan, tensor), step,
                plan.buffers[*one.buffer].last);
  }
  return blocks.bytes();
}

/// As the problem has them; of gathered rows, the table.
std::int64_t stated_constant_bytes(const Plan& plan, const PlanStep& step, Precision precision) {
  if (const auto& rows = step.work.gather) {
    const bool is_placed = plan.tensors[step.work.operands.front().index].buffer.has_value();
    return is_placed ? 0 : rows->outer * rows->extent * rows->inner * element_bytes(precision);
  }
  const std::vector<Operand> operands = inputs(parse(step.work.problem));
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < std::min(operands.size(), step.work.operands.size()); ++i) {
    const FlowOperand& one = step.work.operands[i];
    const bool is_placed =
        one.kind == FlowOperand::Kind::tensor && plan.tensors[one.index].buffer.has_value();
    if (!is_placed) bytes += element_count(operands[i].dims) * element_bytes(precision);
  }
  return bytes;
}

/// Some of the sizes, the smallest and the largest among them.
std::vector<std::int64_t> thinned(std::vector<std::int64_t> sizes) {
  if (sizes.size() <= most_limits) return sizes;
  std::vector<std::int64_t> kept;
  const double step = static_cast<double>(sizes.size() - 1) / static_cast<double>(most_limits - 1);
  for (std::size_t i = 0; i < most_limits; ++i) {
    kept.push_back(sizes[static_cast<std::size_t>(std::lround(step * static_cast<double>(i)))]);
  }
  return kept;
}

}  // namespace

bool meet(const PlanBuffer& a, const PlanBuffer& b) {
  return a.last >= b.first && b.last >= a.first;
}

std::int64_t place_buffers(std::vector<PlanBuffer>& buffers, const ShareNoPlace& share_no_place) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<std::size_t> placed;
  std::int64_t total = 0;
  for (const std::size_t index : order) {
    PlanBuffer& buffer = buffers[index];
    std::int64_t offset = 0;
    // By ascending offset: what lies in the way moves the place behind it.
    for (const std::size_t before : placed) {
      const PlanBuffer& other = buffers[before];
      if (!(share_no_place ? share_no_place(index, before) : meet(buffer, other))) continue;
      if (offset + buffer.bytes <= other.offset) break;
      offset = std::max(offset, aligned(other.offset + other.bytes));
    }
    buffer.offset = offset;
    total = std::max(total, aligned(offset + buffer.bytes));
    const auto place = std::ranges::lower_bound(
        placed, buffer.offset, {}, [&](std::size_t one) { return buffers[one].offset; });
    placed.insert(place, index);
  }
  return total;
}

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

PlanMemory memory_of(const Plan& plan, const MeasurementSet& measurements, Workspaces workspaces) {
  const Precision precision = parse_precision(plan.precision).value();
  PlanMemory memory{.arena = plan.arena_bytes, .converted = converted_bytes(plan)};
  for (const PlanStep& step : plan.steps) {
    const Measurement* const call = measurements.call(step.call);
    const std::int64_t stated = stated_constant_bytes(plan, step, precision);
    const bool is_known = call != nullptr && !step.work.gather;
    memory.constants += is_known ? call->constant_bytes.value_or(stated) : stated;
    const bool has_own = is_known && !call->shares_workspace;
    const std::int64_t workspace = has_own ? call->workspace_bytes.value_or(0) : 0;
    memory.workspace = workspaces == Workspaces::own ? memory.workspace + workspace
                                                     : std::max(memory.workspace, workspace);
  }
  return memory;
}

std::vector<std::int64_t> workspace_sizes(const MeasurementSet& measurements, Precision precision) {
  std::vector<std::int64_t> sizes{0};
  for (const std::string_view key : measurements.keys()) {
    for (const Measurement& one : measurements.find(key)) {
      if (one.status != Status::ok || one.variant.precision != precision) continue;
      sizes.push_back(one.workspace_bytes.value_or(0));
    }
  }
  std::ranges::sort(sizes);
  const auto rest = std::ranges::unique(sizes);
  sizes.erase(rest.begin(), rest.end());
  return sizes;
}

std::vector<MemoryPoint> memory_front(
    std::vector<std::int64_t> workspace_bytes,
    const std::function<std::optional<MemoryPoint>(std::optional<std::int64_t> limit)>& at) {
  std::vector<MemoryPoint> points;
  for (const std::int64_t limit : thinned(std::move(workspace_bytes))) {
    if (auto point = at(limit)) points.push_back(*point);
  }
  if (auto point = at(std::nullopt)) points.push_back(*point);
  std::ranges::stable_sort(points, [](const MemoryPoint& a, const MemoryPoint& b) {
    return std::pair(a.memory.total(), a.seconds) < std::pair(b.memory.total(), b.seconds);
  });
  // Less is noise.
  constexpr double telling = 0.999;
  std::vector<MemoryPoint> front;
  for (const MemoryPoint& point : points) {
    if (front.empty() || point.seconds < front.back().seconds * telling) front.push_back(point);
  }
  return front;
}

}  // namespace benanza::analysis
