#include "generator/onnx/scale_axes.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace benanza::onnx {
namespace {

/// The views between `step` and `value`, the step's first.
std::vector<const Step*> views_between(const Program& program, const Value& value,
                                       const Step& step) {
  std::vector<const Step*> views;
  const Value* shown = value.original == nullptr ? &value : value.original;
  while (shown != nullptr && shown->producer && &program.steps[*shown->producer] != &step) {
    views.push_back(&program.steps[*shown->producer]);
    shown = views.back()->inputs[0];
  }
  std::ranges::reverse(views);
  return views;
}

/// The length of the rows of a matrix that a Reshape joins to longer ones; 0 for other views.
std::int64_t joined_rows(const Step& view) {
  if (view.node.op_type() != "Reshape" || view.inputs[0] == nullptr || !view.inputs[0]->shape ||
      !view.outputs[0]->shape) {
    return 0;
  }
  const Dims& from = *view.inputs[0]->shape;
  const Dims& to = *view.outputs[0]->shape;
  if (from.size() != 2 || to.size() != 2 || from[1] < 1) return 0;
  return to[1] > from[1] && to[1] % from[1] == 0 ? from[1] : 0;
}

/// The place of `axis` behind a Transpose.
std::size_t transposed(const Step& view, std::size_t axis, std::size_t rank) {
  const auto stated = view.node.integers("perm");
  if (!stated) return rank - 1 - axis;
  return static_cast<std::size_t>(std::ranges::find(*stated, static_cast<std::int64_t>(axis)) -
                                  stated->begin());
}

const Dims* dims_of(const Step& step, std::size_t input) {
  const bool known = input < step.inputs.size() && step.inputs[input] != nullptr &&
                     step.inputs[input]->shape.has_value();
  return known ? &*step.inputs[input]->shape : nullptr;
}

/// The axis of a result of `rank` axes along which `scales` differ, if it is one.
std::optional<std::size_t> only_axis(const Dims& scales, std::size_t rank) {
  const auto is_long = [](std::int64_t extent) { return extent > 1; };
  if (scales.size() > rank || std::ranges::count_if(scales, is_long) != 1) return std::nullopt;
  const auto found = std::ranges::find_if(scales, is_long) - scales.begin();
  return rank - scales.size() + static_cast<std::size_t>(found);
}

/// The axis of the result of `step`, a DequantizeLinear, or the Mul of a cast and its scales, along
/// which scales differ. Empty if there is one scale, or each block has its own by the shape.
std::optional<std::size_t> own_axis(const Step& step) {
  const Dims* const first = dims_of(step, 0);
  const Dims* const second = dims_of(step, 1);
  if (first == nullptr || second == nullptr) return std::nullopt;
  const bool is_first = element_count(*first) >= element_count(*second);
  if (step.node.op_type() == "Mul") {
    return only_axis(is_first ? *second : *first, std::max(first->size(), second->size()));
  }
  if (element_count(*second) <= 1) return std::nullopt;
  const std::int64_t stated = step.node.integer("axis", 1);
  return static_cast<std::size_t>(stated < 0 ? stated + std::ssize(*first) : stated);
}

/// Views that leave every axis where it is.
bool keeps_axes(const Step& view) {
  const std::string& op = view.node.op_type();
  return op == "Identity" || op == "Cast" || op == "Split";
}

enum class AxisUse { matrices, result, summed };

/// `summed` and `kept`: the two last axes of a matrix, and what they are to a product.
std::optional<AxisUse> use_in_matrix(const Dims& dims, std::size_t axis, bool sums_last,
                                     std::int64_t length) {
  if (dims.size() < 2) return std::nullopt;
  const std::size_t summed = dims.size() - (sums_last ? 1 : 2);
  if (dims[summed] != length) return std::nullopt;
  if (axis == summed) return AxisUse::summed;
  return axis + 2 < dims.size() ? AxisUse::matrices : AxisUse::result;
}

std::optional<AxisUse> use_of(const Gemm& gemm, std::size_t operand, const Dims& dims,
                              std::size_t axis) {
  return operand == 0 ? use_in_matrix(dims, axis, !gemm.transpose_a, gemm.k)
                      : use_in_matrix(dims, axis, gemm.transpose_b, gemm.k);
}

/// `filters`: the weights' axis of filters. Data have channels second.
template <class Filters>
std::optional<AxisUse> use_of(const Filters& problem, std::size_t operand, const Dims& dims,
                              std::size_t axis, std::size_t filters) {
  if (operand == 1) return axis == filters ? AxisUse::result : AxisUse::summed;
  if (dims != problem.input) return std::nullopt;
  const bool has_own_filters = axis == 1 && problem.groups == problem.input[1];
  return has_own_filters ? AxisUse::result : AxisUse::summed;
}

std::optional<AxisUse> use_of(const Call& product, std::size_t operand, const Value& value,
                              std::size_t axis) {
  if (!value.shape) return std::nullopt;
  const Shape& shape = product.problem.shape;
  if (const auto* gemm = std::get_if<Gemm>(&shape)) {
    return use_of(*gemm, operand, *value.shape, axis);
  }
  if (const auto* grouped = std::get_if<GroupedGemm>(&shape); grouped != nullptr && operand == 1) {
    return use_in_matrix(*value.shape, axis, grouped->transpose_b, grouped->k);
  }
  if (const auto* convolution = std::get_if<Convolution>(&shape)) {
    return use_of(*convolution, operand, *value.shape, axis, 0);
  }
  if (const auto* deconvolution = std::get_if<Deconvolution>(&shape)) {
    return use_of(*deconvolution, operand, *value.shape, axis, 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> axis_of_scales(const Program& program, const Value& value,
                                          const Step& step) {
  const auto own = own_axis(step);
  if (!own || step.outputs.empty() || !step.outputs[0]->shape) return std::nullopt;
  const std::size_t rank = step.outputs[0]->shape->size();
  std::size_t axis = *own;
  for (const Step* const view : views_between(program, value, step)) {
    if (view->node.op_type() == "Transpose") {
      axis = transposed(*view, axis, rank);
    } else if (axis == 0 && joined_rows(*view) > 0) {
      axis = 1;
    } else if (!keeps_axes(*view)) {
      return std::nullopt;
    }
  }
  return axis < rank ? std::optional(axis) : std::nullopt;
}

std::int64_t joined_block(const Program& program, const Value& value, const Step& step) {
  if (step.node.integer("block_size", 0) != 0 || own_axis(step) != 0U) return 0;
  const std::vector<const Step*> views = views_between(program, value, step);
  const auto joins =
      std::ranges::find_if_not(views, [](const Step* view) { return keeps_axes(*view); });
  return joins == views.end() ? 0 : joined_rows(**joins);
}

bool has_scales_in_sums(const Program& program, const Call& product, std::size_t operand,
                        const Value& value, const Step& step) {
  const auto axis = axis_of_scales(program, value, step);
  return axis && use_of(product, operand, value, *axis) == AxisUse::summed;
}

const char* refused_scales(const Program& program, const Call& product, const Value& value,
                           const Step* step, std::int64_t block) {
  const auto axis = step == nullptr ? std::nullopt : axis_of_scales(program, value, *step);
  const auto use = axis ? use_of(product, 1, value, *axis) : std::nullopt;
  if (block > 0 && use == AxisUse::result) {
    return "no library here multiplies weights with a scale for blocks of columns";
  }
  if (block == 0 && use == AxisUse::summed) {
    return "no library here multiplies weights with a scale for each term of a sum";
  }
  return nullptr;
}

bool has_scales_of_matrices(const Program& program, const Call& product, const Value& value,
                            const Step* step) {
  const auto axis = step == nullptr ? std::nullopt : axis_of_scales(program, value, *step);
  return axis && use_of(product, 1, value, *axis) == AxisUse::matrices;
}

}  // namespace benanza::onnx
