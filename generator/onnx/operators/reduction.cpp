#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

Dims reduced_axes(const NodeView& reduce) {
  const std::size_t rank = reduce.shape(0).size();
  const Dims stated = reduce.argument("axes", 1).value_or(Dims{});
  if (stated.empty()) {
    return reduce.flag("noop_with_empty_axes") ? Dims{} : all_axes(rank);
  }
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : stated) axes.insert(NodeView::axis(axis, rank));
  return {axes.begin(), axes.end()};
}

/// Axes are an input from opset 18.
std::vector<TensorFacts> reduce_shape(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const bool keeps = node.flag("keepdims", true);
  if (node.has_input(1) && !node.input(1).literal) {
    // The axes are not known before the model runs.
    return {{node.input(0).type, {}}};
  }
  std::vector<bool> reduced(dims.size(), false);
  for (const std::int64_t axis : reduced_axes(node)) reduced[static_cast<std::size_t>(axis)] = true;
  Dims result;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!reduced[axis]) {
      result.push_back(dims[axis]);
    } else if (keeps) {
      result.push_back(1);
    }
  }
  return {{node.input(0).type, result}};
}

/// Combines the elements of every group that the reduction maps to one output.
template <class Combine>
std::vector<Literal> reduce(const NodeView& node, Combine combine) {
  const Dims& dims = node.shape(0);
  Dims kept = dims;
  for (const std::int64_t axis : reduced_axes(node)) kept[static_cast<std::size_t>(axis)] = 1;
  const auto to = positions(broadcast_view(kept, dims));
  return {std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> result(static_cast<std::size_t>(element_count(kept)));
        std::vector<bool> begun(result.size(), false);
        for (std::size_t index = 0; index < values.size(); ++index) {
          const auto group = static_cast<std::size_t>(to[index]);
          result[group] = begun[group] ? combine(result[group], values[index]) : values[index];
          begun[group] = true;
        }
        if (std::ranges::find(begun, false) != begun.end()) {
          throw NotExpressible("a reduction of nothing");
        }
        return result;
      },
      node.literal(0))};
}

std::vector<Literal> fold_sum(const NodeView& node) {
  return reduce(node, [](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>) {
      return checked_sum(a, b);
    } else {
      return a + b;
    }
  });
}

std::vector<Literal> fold_product(const NodeView& node) {
  return reduce(node, [](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>) {
      return checked_product(a, b);
    } else {
      return a * b;
    }
  });
}

std::vector<Literal> fold_mean(const NodeView& node) {
  std::vector<Literal> result = fold_sum(node);
  auto* values = std::get_if<std::vector<double>>(&result[0]);
  if (values == nullptr) throw NotExpressible("a mean of integers");
  const auto count = static_cast<double>(element_count(node.shape(0)));
  for (double& value : *values) value *= static_cast<double>(values->size()) / count;
  return result;
}

std::vector<Literal> fold_maximum(const NodeView& node) {
  return reduce(node, [](auto a, auto b) { return std::max(a, b); });
}

std::vector<Literal> fold_minimum(const NodeView& node) {
  return reduce(node, [](auto a, auto b) { return std::min(a, b); });
}

template <ReductionKind kind>
Lowered lower_reduce(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims axes = reduced_axes(node);
  const auto is_one = [&](std::int64_t axis) { return input[static_cast<std::size_t>(axis)] == 1; };
  if (std::ranges::all_of(axes, is_one)) return free_layer("reduces no more than ones");
  return measured({call(Reduction{.kind = kind, .input = input, .axes = axes}, {from_input(0)})});
}

std::vector<TensorFacts> sum_of_bytes_shape(const NodeView& node) {
  return {{::onnx::TensorProto::INT32, reduce_shape(node).front().shape}};
}

Lowered of_each_element(const NodeView& node, ActivationKind kind) {
  return measured({function_call(node.extents(0), kind, from_input(0))});
}

/// The logarithm of a sum, or of a sum of exponentials.
template <bool exponential>
Lowered lower_log_sum(const NodeView& node) {
  Lowered lowered = lower_reduce<ReductionKind::sum>(node);
  if (lowered.cost == Cost::free) {
    return exponential ? lowered : of_each_element(node, ActivationKind::log);
  }
  if (exponential) {
    lowered.calls.insert(lowered.calls.begin(),
                         function_call(node.shape(0), ActivationKind::exp, from_input(0)));
    lowered.calls[1].operands = {from_call(0)};
  }
  lowered.calls.push_back(function_call(output(lowered.calls.back().problem), ActivationKind::log,
                                        from_call(exponential ? 1 : 0)));
  return lowered;
}

/// Over axes of extent 1, a norm is the elements' magnitudes or squares.
template <ReductionKind kind>
Lowered lower_norm(const NodeView& node) {
  Lowered lowered = lower_reduce<kind>(node);
  if (lowered.cost != Cost::free) return lowered;
  if (kind != ReductionKind::sum_square) return of_each_element(node, ActivationKind::abs);
  const ElementwiseOperand all{node.extents(0), false, from_input(0)};
  return measured({elementwise_call(BinaryKind::mul, all, all)});
}

Operator reduction(LowerFunction lower, FoldFunction fold = nullptr) {
  return {.shapes = {{reduce_shape, 18}},
          .fold = fold,
          .lower = lower,
          .idle_attributes = {"keepdims", "noop_with_empty_axes"}};
}

}  // namespace

void register_reduction(OperatorTable& table) {
  table.add("ReduceMean", reduction(lower_reduce<ReductionKind::mean>, fold_mean));
  table.add("ReduceSum", of_integers_too(reduction(lower_reduce<ReductionKind::sum>, fold_sum)));
  table.add("ReduceMax",
            of_integers_too(reduction(lower_reduce<ReductionKind::max>, fold_maximum)));
  table.add("ReduceMin",
            of_integers_too(reduction(lower_reduce<ReductionKind::min>, fold_minimum)));
  table.add("ReduceProd",
            of_integers_too(reduction(lower_reduce<ReductionKind::product>, fold_product)));
  table.add("com.microsoft.ReduceSumInteger",
            {.shapes = {{sum_of_bytes_shape}},
             .unsupported = "no library here adds bytes up in 32-bit integers"});
  table.add("ReduceL1", reduction(lower_norm<ReductionKind::l1>));
  table.add("ReduceL2", reduction(lower_norm<ReductionKind::l2>));
  table.add("ReduceSumSquare", reduction(lower_norm<ReductionKind::sum_square>));
  table.add("ReduceLogSum", reduction(lower_log_sum<false>));
  table.add("ReduceLogSumExp", reduction(lower_log_sum<true>));
}

}  // namespace benanza::onnx
