#include <onnx/onnx_pb.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Positions of the largest or smallest elements along an axis. No library here has the calls: the
/// largest or smallest element stands for them, which reads as much.
namespace benanza::onnx {
namespace {

Lowered lower_extremes(const NodeView& node, ReductionKind kind, std::int64_t default_axis) {
  const Dims& input = node.shape(0);
  const std::int64_t axis = NodeView::axis(node.integer("axis", default_axis), input.size());
  if (input[static_cast<std::size_t>(axis)] == 1) return free_layer("there is no order of one");
  if (!is_floating(node.input(0).type)) {
    throw NotExpressible("the order of " + type_name(node.input(0).type));
  }
  Call extreme = call(Reduction{.kind = kind, .input = input, .axes = {axis}}, {from_input(0)});
  extreme.is_proxy = true;
  Lowered lowered = measured({extreme}, Types::checked_by_lowering);
  lowered.reason = std::string("no library here gives positions: the ") +
                   (kind == ReductionKind::max ? "largest" : "smallest") +
                   " element alone stands for them";
  return lowered;
}

template <ReductionKind kind>
Lowered lower_position(const NodeView& node) {
  return lower_extremes(node, kind, 0);
}

Operator position(LowerFunction lower, FoldFunction fold) {
  return {.fold = fold,
          .lower = lower,
          .copies_integers = true,
          .idle_attributes = {"keepdims", "select_last_index"}};
}

Lowered lower_top_k(const NodeView& node) {
  const bool largest = node.flag("largest", true);
  return lower_extremes(node, largest ? ReductionKind::max : ReductionKind::min, -1);
}

/// Outputs: values and positions. Their number is an input.
std::vector<std::optional<MaxShape>> top_k_max_shapes(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", -1), dims.size()));
  return {MaxShape{node.input(0).type, dims, {axis}},
          MaxShape{::onnx::TensorProto::INT64, dims, {axis}}};
}

/// Of equal elements, the first ones.
std::vector<Literal> fold_top_k(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", -1), dims.size()));
  const std::int64_t kept = node.has_input(1) ? node.integers(1).at(0) : node.integer("k", 0);
  if (kept < 0 || kept > dims[axis]) throw Error("keeps more elements than there are");
  const std::int64_t step = dense_strides(dims)[axis];
  const bool largest = node.flag("largest", true);
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t rows = element_count(outer) * step;
  Dims from(static_cast<std::size_t>(rows * kept));
  Dims places(from.size());
  std::visit(
      [&](const auto& values) {
        Dims order(static_cast<std::size_t>(dims[axis]));
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t block = row / step * step;
          const auto position = [&](std::int64_t extent, std::int64_t place) {
            return static_cast<std::size_t>(block * extent + place * step + row % step);
          };
          const auto at = [&](std::int64_t place) { return values[position(dims[axis], place)]; };
          std::iota(order.begin(), order.end(), 0);
          std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
            return largest ? at(a) > at(b) : at(a) < at(b);
          });
          for (std::int64_t i = 0; i < kept; ++i) {
            const std::int64_t place = order[static_cast<std::size_t>(i)];
            from[position(kept, i)] = static_cast<std::int64_t>(position(dims[axis], place));
            places[position(kept, i)] = place;
          }
        }
      },
      node.literal(0));
  return {pick(node.literal(0), from), places};
}

template <bool largest>
std::vector<Literal> fold_position(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), dims.size()));
  const bool takes_last = node.flag("select_last_index");
  const std::int64_t step = dense_strides(dims)[axis];
  const std::int64_t extent = dims[axis];
  Dims places;
  std::visit(
      [&](const auto& values) {
        const auto count = static_cast<std::int64_t>(values.size());
        if (extent < 1) throw NotExpressible("the largest of no elements");
        for (std::int64_t row = 0; row < count / extent; ++row) {
          const std::int64_t first = row / step * step * extent + row % step;
          const auto at = [&](std::int64_t place) {
            return values[static_cast<std::size_t>(first + place * step)];
          };
          std::int64_t best = 0;
          for (std::int64_t place = 1; place < extent; ++place) {
            const bool is_better = largest ? at(place) > at(best) : at(place) < at(best);
            if (is_better || (takes_last && at(place) == at(best))) best = place;
          }
          places.push_back(best);
        }
      },
      node.literal(0));
  return {std::move(places)};
}

}  // namespace

void register_extremes(OperatorTable& table) {
  table.add("ArgMax", position(lower_position<ReductionKind::max>, fold_position<true>));
  table.add("ArgMin", position(lower_position<ReductionKind::min>, fold_position<false>));
  table.add("TopK", {.max_shapes = top_k_max_shapes,
                     .fold = fold_top_k,
                     .lower = lower_top_k,
                     .idle_attributes = {"sorted", "k"},
                     .idle_inputs = {1}});
}

}  // namespace benanza::onnx
