#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::lower {
namespace {

template <ReductionKind kind>
Lowered reduce(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims axes = reduced_axes(site);
  const auto is_one = [&](std::int64_t axis) { return input[static_cast<std::size_t>(axis)] == 1; };
  if (std::all_of(axes.begin(), axes.end(), is_one)) return free_layer("reduces no more than ones");
  return measured({call(Reduction{.kind = kind, .input = input, .axes = axes}, {from_input(0)})});
}

/// The logarithm of a sum, of the exponentials where the operator says so.
template <bool exponential>
Lowered log_sum(const Site& site) {
  Lowered lowered = reduce<ReductionKind::sum>(site);
  if (lowered.cost == Cost::free) throw NotExpressible("a reduction of no more than ones");
  if (exponential) {
    lowered.calls.insert(
        lowered.calls.begin(),
        call(Activation{.input = site.shape(0), .kind = ActivationKind::exp}, {from_input(0)}));
    lowered.calls[1].operands = {from_call(0)};
  }
  lowered.calls.push_back(
      call(Activation{.input = output(lowered.calls.back().problem), .kind = ActivationKind::log},
           {from_call(exponential ? 1 : 0)}));
  return lowered;
}

/// What would be left of one element where nothing is reduced is not the element itself.
template <ReductionKind kind>
Lowered norm(const Site& site) {
  Lowered lowered = reduce<kind>(site);
  if (lowered.cost == Cost::free) throw NotExpressible("a reduction of no more than ones");
  return lowered;
}

/// The norm of each channel.
Lowered global_norm(const Site& site) {
  const std::int64_t p = site.node().integer("p", 2);
  if (p != 1 && p != 2) throw NotExpressible("a norm of order " + std::to_string(p));
  const Dims& input = site.shape(0);
  Dims axes;
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) throw Error("an input of " + join(input, 'x') + " has no spatial axes");
  const ReductionKind kind = p == 1 ? ReductionKind::l1 : ReductionKind::l2;
  return measured({call(Reduction{.kind = kind, .input = input, .axes = axes}, {from_input(0)})});
}

}  // namespace

void register_reduction(LoweringTable& table) {
  table.add("ReduceMean", reduce<ReductionKind::mean>);
  table.add("ReduceSum", reduce<ReductionKind::sum>);
  table.add("ReduceMax", reduce<ReductionKind::max>);
  table.add("ReduceMin", reduce<ReductionKind::min>);
  table.add("ReduceProd", reduce<ReductionKind::product>);
  table.add("ReduceL1", norm<ReductionKind::l1>);
  table.add("ReduceL2", norm<ReductionKind::l2>);
  table.add("ReduceSumSquare", norm<ReductionKind::sum_square>);
  table.add("GlobalLpPool", global_norm);
  table.add("ReduceLogSum", log_sum<false>);
  table.add("ReduceLogSumExp", log_sum<true>);
}

}  // namespace benanza::onnx::lower
