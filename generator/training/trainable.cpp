#include "generator/training/trainable.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace benanza::training {
namespace {

/// True if exactly one axis is longer than 1.
bool is_vector(const Dims& dims) {
  return std::ranges::count_if(dims, [](std::int64_t extent) { return extent > 1; }) == 1;
}

/// Which operands of a call are trained if they are constant.
struct IsParameter {
  std::size_t operand;

  bool operator()(const Convolution&) const { return operand == 1; }
  bool operator()(const Deconvolution&) const { return operand == 1; }
  bool operator()(const Gemm&) const { return operand == 1; }
  bool operator()(const BatchNormalizationTraining&) const { return operand > 0; }
  bool operator()(const LayerNormalization&) const { return operand > 0; }
  bool operator()(const InstanceNormalization&) const { return operand > 0; }
  bool operator()(const Recurrent& shape) const {
    return shape.inputs()[operand].role == Role::weights;
  }
  bool operator()(const Binary& shape) const {
    const bool scales_or_shifts = shape.kind == BinaryKind::add || shape.kind == BinaryKind::mul ||
                                  shape.kind == BinaryKind::prelu;
    return scales_or_shifts && is_vector(operand == 0 ? shape.a : shape.b);
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

bool is_float(const std::string& type) {
  return type == "float" || type == "float16" || type == "bfloat16" || type == "double";
}

std::optional<Dims> extents(const std::vector<LoweredLayer>& layers, const Read& read) {
  if (!read.producer) return read.given;
  const LoweredLayer& maker = layers[*read.producer];
  if (read.call) {
    const std::vector<Dims> parts = results(maker.calls[*read.call].problem);
    return read.output < parts.size() ? std::optional(parts[read.output]) : std::nullopt;
  }
  return read.output < maker.outputs.size() ? maker.outputs[read.output].shape : std::nullopt;
}

Origin origin(const std::vector<LoweredLayer>& layers, const Read& read, bool selects) {
  constexpr std::string_view views[] = {"Transpose", "Identity", "Cast", "Reshape"};
  constexpr std::string_view more_views[] = {"Flatten", "Squeeze", "Unsqueeze"};
  constexpr std::string_view selections[] = {"Expand", "Tile", "Slice", "Gather", "Split"};
  Origin found{read};
  while (found.read.producer) {
    const LoweredLayer& maker = layers[*found.read.producer];
    if (maker.reads.empty() || !maker.reads[0].constant) break;
    // PyTorch's exporter stores equal tensors once (all biases that are still 0) and gives each
    // further one an Identity. Matrices are equal only if they are one.
    const auto dims = extents(layers, found.read);
    if (maker.op == "Identity" && dims && is_vector(*dims)) break;
    const auto is_in = [&](const auto& ops) {
      return std::ranges::find(ops, maker.op) != std::end(ops);
    };
    if (selects && is_in(selections)) {
      found.forms.push_back(found.read);
    } else if (!is_in(views) && !(selects && is_in(more_views))) {
      break;
    }
    found.read = maker.reads[0];
  }
  return found;
}

bool is_embedded(const Call& call, std::size_t operand) {
  if (std::holds_alternative<Concat>(call.problem.shape)) return true;
  const auto* sum = std::get_if<Binary>(&call.problem.shape);
  if (sum == nullptr || sum->kind != BinaryKind::add) return false;
  const Dims& dims = operand == 0 ? sum->a : sum->b;
  return element_count(dims) > 1 && !is_vector(dims);
}

bool is_trainable(const std::vector<LoweredLayer>& layers, const LoweredLayer& layer,
                  const Call& call, std::size_t operand) {
  const Source& source = call.operands[operand];
  if (source.kind != Source::Kind::input || layer.constant) return false;
  const auto place = static_cast<std::size_t>(source.index);
  if (place >= layer.reads.size() || !layer.reads[place].constant) return false;
  if (layer.reads[place].value) return false;
  // Rows of a table selected by the data.
  if (call.is_proxy && operand == 0) {
    const auto table = extents(layers, layer.reads[place]);
    return table && table->size() == 2 && !layer.outputs.empty() && is_float(layer.outputs[0].type);
  }
  const Read& read = layer.reads[place];
  if (is_embedded(call, operand)) {
    const bool floating = !layer.outputs.empty() && is_float(layer.outputs[0].type);
    return floating && origin(layers, read, true).read.learned;
  }
  return std::visit(IsParameter{operand}, call.problem.shape);
}

}  // namespace benanza::training
