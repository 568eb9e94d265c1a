#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

void check_axis(const NodeView& node) {
  const auto rank = node.rank(0);
  if (!rank) return;
  const std::int64_t axis = node.integer("axis", -1);
  const auto most = static_cast<std::int64_t>(*rank);
  if (axis < -most || axis >= most) {
    throw Error("normalizes from axis " + std::to_string(axis) + " of " + std::to_string(most));
  }
}

/// Output 3 is the sum before normalization.
std::vector<TensorFacts> skip_normalization_shape(const NodeView& node) {
  const TensorFacts whole{node.input(0).type, node.input(0).shape};
  Dims rows = node.shape(0);
  if (!rows.empty()) rows.back() = 1;
  const TensorFacts statistics{::onnx::TensorProto::FLOAT, rows};
  return {whole, statistics, statistics, whole};
}

/// Input indices of scale and bias; 0 if the operator has none.
struct NormalizationInputs {
  std::size_t scale = 1;
  std::size_t bias = 2;
};

/// Normalizes the rows of `source` (extents as input 0); a row spans the axes from `axis` on. A
/// scale or bias without one value per position in the row becomes a separate call.
void normalize(const NodeView& node, Source source, std::int64_t axis, float epsilon, bool rms,
               NormalizationInputs places, std::vector<Call>& calls) {
  const Dims& dims = node.shape(0);
  const auto middle = dims.begin() + axis;
  LayerNormalization shape{.rows = element_count({dims.begin(), middle}),
                           .length = element_count({middle, dims.end()}),
                           .epsilon = epsilon,
                           .root_mean_square = rms};
  const auto given = [&](std::size_t place) { return place > 0 && node.has_input(place); };
  const auto fits = [&](std::size_t place) {
    return !given(place) || element_count(node.shape(place)) == shape.length;
  };
  const bool inside = fits(places.scale) && fits(places.bias);
  shape.scale = inside && given(places.scale);
  shape.bias = inside && given(places.bias);
  std::vector<Source> operands{source};
  if (shape.scale) operands.push_back(from_input(places.scale));
  if (shape.bias) operands.push_back(from_input(places.bias));
  calls.push_back(call(shape, operands));
  if (inside) return;
  const auto follow = [&](BinaryKind kind, std::size_t place) {
    if (!given(place)) return;
    const Source last = last_result(calls);
    calls.push_back(elementwise_call(kind, {dims, false, last}, operand_of(node, place)));
  };
  follow(BinaryKind::mul, places.scale);
  follow(BinaryKind::add, places.bias);
}

void check_outputs(const NodeView& node, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index <= last; ++index) {
    if (node.has_output(index)) throw NotExpressible("hands out its statistics");
  }
}

std::int64_t stated_axis(const NodeView& node) {
  return NodeView::axis(node.integer("axis", -1), node.shape(0).size());
}

template <bool rms>
Lowered lower_plain(const NodeView& node) {
  check_outputs(node, 1, 2);
  std::vector<Call> calls;
  normalize(node, from_input(0), stated_axis(node), node.real("epsilon", 1e-5F), rms,
            rms ? NormalizationInputs{1, 0} : NormalizationInputs{1, 2}, calls);
  return measured(std::move(calls));
}

/// Normalizes the sum of input, skip and, if present, bias. The sum itself is output 3.
template <bool rms>
Lowered lower_skip_normalization(const NodeView& node) {
  check_outputs(node, 1, 2);
  const Dims& dims = node.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  std::vector<Call> calls{
      elementwise_call(BinaryKind::add, {dims, false, from_input(0)}, operand_of(node, 1))};
  const std::size_t bias = rms ? 3 : 4;
  if (node.has_input(bias)) {
    calls.push_back(
        elementwise_call(BinaryKind::add, {dims, false, from_call(0)}, operand_of(node, bias)));
  }
  const auto last = static_cast<int>(calls.size()) - 1;
  calls.back().output = node.has_output(3) ? 3 : 0;
  normalize(node, from_call(last), static_cast<std::int64_t>(dims.size()) - 1,
            node.real("epsilon", rms ? 1e-5F : 1e-12F), rms,
            rms ? NormalizationInputs{2, 0} : NormalizationInputs{2, 3}, calls);
  return measured(std::move(calls));
}

}  // namespace

void register_layer_normalization(OperatorTable& table) {
  // ONNX has it from opset 17 on, ONNX Runtime and its optimizer in every one.
  table.add("LayerNormalization", {.check = check_axis,
                                   .shapes = {{like_first, 1, 16}},
                                   .lower = lower_plain<false>,
                                   .idle_attributes = {"stash_type"}});
  for (const auto* op : {"RMSNormalization", "SimplifiedLayerNormalization"}) {
    table.add(
        op,
        {.shapes = {{like_first}}, .lower = lower_plain<true>, .idle_attributes = {"stash_type"}});
  }
  table.add("com.microsoft.SkipLayerNormalization",
            {.shapes = {{skip_normalization_shape}}, .lower = lower_skip_normalization<false>});
  table.add("com.microsoft.SkipSimplifiedLayerNormalization",
            {.shapes = {{skip_normalization_shape}}, .lower = lower_skip_normalization<true>});
}

}  // namespace benanza::onnx
