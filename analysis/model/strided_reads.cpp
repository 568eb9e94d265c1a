#include "analysis/model/strided_reads.h"

#include <algorithm>
#include <numeric>

#include "analysis/model/formats.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr std::int64_t alignment_bytes = 16;

double fastest(const std::vector<const Measurement*>& candidates) {
  const auto least = std::ranges::min_element(candidates, {}, &Measurement::seconds);
  return (*least)->seconds();
}

/// A copy in the order in which it writes: its extents, and the strides of what it reads. Empty if
/// it writes with gaps.
std::optional<std::pair<Dims, Dims>> in_written_order(const Copy& copy) {
  std::vector<std::size_t> axes(copy.dims.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::stable_sort(axes, std::greater(), [&](std::size_t axis) { return copy.to[axis]; });
  std::pair<Dims, Dims> found;
  for (const std::size_t axis : axes) {
    found.first.push_back(copy.dims[axis]);
    found.second.push_back(copy.from[axis]);
  }
  std::int64_t dense = 1;
  for (std::size_t at = axes.size(); at-- > 0;) {
    if (copy.to[axes[at]] != dense) return std::nullopt;
    dense *= copy.dims[axes[at]];
  }
  return found;
}

bool is_aligned(const Dims& dims, const Dims& strides, std::int64_t first,
                std::int64_t element_bytes) {
  if (first * element_bytes % alignment_bytes != 0) return false;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 1) continue;
    const bool is_last = axis + 1 == dims.size();
    if (is_last ? strides[axis] != 1 : strides[axis] * element_bytes % alignment_bytes != 0) {
      return false;
    }
  }
  return true;
}

/// How many axes are left of an operand in these strides when axes are merged that follow each
/// other in memory, and along which the problem's other operands broadcast alike.
std::int64_t axes_left(const std::vector<Operand>& operands, const Dims& dims,
                       const Dims& strides) {
  const auto broadcast_alike = [&](std::size_t outer, std::size_t inner) {
    return std::ranges::all_of(operands, [&](const Operand& one) {
      return one.dims.size() != dims.size() || (one.dims[outer] == 1) == (one.dims[inner] == 1);
    });
  };
  std::int64_t left = 0;
  std::optional<std::size_t> inner;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    if (dims[axis] == 1) continue;
    const bool continues =
        inner && strides[axis] == strides[*inner] * dims[*inner] && broadcast_alike(axis, *inner);
    if (!continues) ++left;
    inner = axis;
  }
  return left;
}

/// Another operand in other strides may leave more axes.
bool is_only_view(const FlowCall& call, const Dims& strides) {
  return std::ranges::all_of(call.operands, [&](const FlowOperand& one) {
    return one.strides.empty() || one.strides == strides;
  });
}

bool takes(const Measurement& call, std::size_t at, std::int64_t axes) {
  return call.strided_axes >= axes && operand_format(call, at, false) == row_major_format;
}

std::vector<const Measurement*> those_that_take(const std::vector<const Measurement*>& candidates,
                                                std::size_t at, std::int64_t axes) {
  std::vector<const Measurement*> found;
  for (const Measurement* const one : candidates) {
    if (takes(*one, at, axes)) found.push_back(one);
  }
  return found;
}

}  // namespace

const std::vector<FlowCall>& calls_of(const DataFlow& flow, const PlannedWork& work) {
  return work.fusion ? flow.fusions[*work.fusion].calls : flow.layers[work.layers.back()].calls;
}

PlanReaders::PlanReaders(const DataFlow& flow, const std::vector<PlannedWork>& work) {
  std::vector<std::size_t> shown(flow.tensors.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  for (const FlowLayer& layer : flow.layers) {
    if (layer.view_of && !layer.outputs.empty()) {
      shown[layer.outputs.front()] = shown[*layer.view_of];
    }
  }
  for (const PlannedWork& one : work) {
    if (one.time.status == LayerStatus::free) continue;
    const std::vector<FlowCall>& calls = calls_of(flow, one);
    for (std::size_t call = 0; call < calls.size(); ++call) {
      for (std::size_t at = 0; at < calls[call].operands.size(); ++at) {
        const FlowOperand& operand = calls[call].operands[at];
        if (operand.kind != FlowOperand::Kind::tensor) continue;
        readers_[shown[operand.index]].push_back({&one, call, &calls[call], at});
      }
    }
  }
}

std::vector<PlanReader> PlanReaders::of(std::size_t tensor) const {
  const auto found = readers_.find(tensor);
  return found == readers_.end() ? std::vector<PlanReader>{} : found->second;
}

std::vector<PlanReader> PlanReaders::of_call(const PlannedWork& work,
                                             const std::vector<FlowCall>& calls,
                                             std::size_t index) {
  std::vector<PlanReader> readers;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    for (std::size_t at = 0; at < calls[call].operands.size(); ++at) {
      const FlowOperand& operand = calls[call].operands[at];
      if (operand.kind == FlowOperand::Kind::call && operand.index == index) {
        readers.push_back({&work, call, &calls[call], at});
      }
    }
  }
  return readers;
}

std::optional<Dims> reshaped_strides(const Dims& dims, const Dims& strides, const Dims& target) {
  if (element_count(dims) != element_count(target)) return std::nullopt;
  Dims found(target.size(), 1);
  // From the innermost axis outwards: what is left of the source's axis at hand.
  std::size_t axis = dims.size();
  std::int64_t left = 1;
  std::int64_t stride = 1;
  for (std::size_t at = target.size(); at-- > 0;) {
    if (target[at] == 1) {
      found[at] = stride;
      continue;
    }
    while (left == 1) {
      --axis;
      left = dims[axis];
      stride = strides[axis];
    }
    found[at] = stride;
    std::int64_t covered = std::min(left, target[at]);
    if (left % covered != 0) return std::nullopt;
    left /= covered;
    stride *= covered;
    while (covered < target[at]) {
      // It goes on in the next axis, if that continues this one.
      do --axis;
      while (dims[axis] == 1);
      if (strides[axis] != stride || target[at] % covered != 0) return std::nullopt;
      const std::int64_t more = std::min(dims[axis], target[at] / covered);
      if (dims[axis] % more != 0) return std::nullopt;
      covered *= more;
      left = dims[axis] / more;
      stride *= more;
    }
    if (covered != target[at]) return std::nullopt;
  }
  return found;
}

std::optional<StridedRead> strided_read(const PlanReader& reader, const CopiedTensor& copied) {
  const FlowOperand& operand = reader.flow->operands[reader.operand];
  const bool is_plain = operand.first == 0 && operand.offset == 0 && operand.strides.empty() &&
                        operand.scale == 1 && operand.numbers.empty() && !reader.flow->gather;
  if (!is_plain || reader.call >= reader.work->candidates.size()) return std::nullopt;
  const Problem problem = parse(reader.flow->problem);
  const std::vector<Operand> operands = inputs(problem);
  const auto moved = in_written_order(copied.moved);
  if (!moved || reader.operand >= operands.size()) return std::nullopt;
  const Dims& dims = operands[reader.operand].dims;
  // The flow itself says which strides attention takes.
  if (dims != output(problem) || std::holds_alternative<Attention>(problem.shape)) {
    return std::nullopt;
  }
  const auto strides = reshaped_strides(moved->first, moved->second, dims);
  if (!strides || !is_aligned(dims, *strides, copied.first, copied.element_bytes) ||
      !is_only_view(*reader.flow, *strides)) {
    return std::nullopt;
  }
  const auto& candidates = reader.work->candidates[reader.call];
  StridedRead read{.strides = *strides,
                   .candidates = those_that_take(candidates, reader.operand,
                                                 axes_left(operands, dims, *strides))};
  if (read.candidates.empty()) return std::nullopt;
  read.lost_seconds = fastest(read.candidates) - fastest(candidates);
  return read;
}

}  // namespace benanza::analysis
