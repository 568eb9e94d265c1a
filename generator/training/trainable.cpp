#include "generator/training/trainable.h"

#include <algorithm>

namespace benanza::training {
namespace {

/// True if exactly one axis is longer than 1.
bool is_vector(const Dims& dims) {
  return std::count_if(dims.begin(), dims.end(), [](std::int64_t extent) { return extent > 1; }) ==
         1;
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

std::size_t original(const std::vector<LoweredLayer>& layers, const Read& read) {
  const Read* current = &read;
  while (current->producer) {
    const LoweredLayer& maker = layers[*current->producer];
    const bool moves = maker.op == "Transpose" || maker.op == "Identity" || maker.op == "Cast" ||
                       maker.op == "Reshape";
    if (!moves || maker.reads.empty() || !maker.reads[0].constant) break;
    current = maker.reads.data();
  }
  return current->tensor;
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
  return std::visit(IsParameter{operand}, call.problem.shape);
}

}  // namespace benanza::training
