#include <algorithm>

#include "onnx/lowering.h"
#include "onnx/views.h"

namespace benanza::lower {
namespace {

template <ReductionKind kind>
Lowered reduce(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims axes = reduced_axes(site);
  const auto is_one = [&](std::int64_t axis) { return input[static_cast<std::size_t>(axis)] == 1; };
  if (std::all_of(axes.begin(), axes.end(), is_one)) return free_layer("reduces no more than ones");
  return measured({call(Reduction{.kind = kind, .input = input, .axes = axes}, {from_input(0)})});
}

}  // namespace

void register_reduction(LoweringTable& table) {
  table.add("ReduceMean", reduce<ReductionKind::mean>);
  table.add("ReduceSum", reduce<ReductionKind::sum>);
  table.add("ReduceMax", reduce<ReductionKind::max>);
}

}  // namespace benanza::lower
