#include "generator/onnx/quantized_layers.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/problem/precision.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/zero_point.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

constexpr const char* part_of_call = "part of the 8-bit calls around it";

bool is_quantization(const Step& step) { return step.node.op_type() == "QuantizeLinear"; }
bool is_dequantization(const Step& step) { return step.node.op_type() == "DequantizeLinear"; }

/// What `step`, a DequantizeLinear, reads: of 8 bits with one scale, or one per channel, the
/// precision of calls that take them. Of fp8, calls here take e4m3 alone.
std::optional<Precision> precision_of(const Step& step) {
  const auto packed = packed_by(step);
  if (!packed || packed->block != 0) return std::nullopt;
  const bool is_e4m3 = type_name(step.inputs[0]->type) == "float8e4m3fn";
  if (packed->type == PackedType::fp8 && is_e4m3) return Precision::fp8;
  if (packed->type == PackedType::int8 || packed->type == PackedType::uint8) return Precision::int8;
  return std::nullopt;
}

/// Whether the bytes of `step`, a DequantizeLinear, have zero points for which products need sums
/// of the other operand.
bool is_asymmetric(const Step& step, bool is_first) {
  if (precision_of(step) == Precision::fp8) return false;
  const bool is_unsigned = step.inputs[0]->type == ::onnx::TensorProto::UINT8;
  if (step.inputs.size() < 3 || step.inputs[2] == nullptr) {
    return !costs_nothing(0, is_unsigned, is_first);
  }
  const auto& literal = step.inputs[2]->literal;
  const auto* points = literal ? std::get_if<std::vector<std::int64_t>>(&*literal) : nullptr;
  return points == nullptr || !std::ranges::all_of(*points, [&](std::int64_t point) {
           return costs_nothing(point, is_unsigned, is_first);
         });
}

/// Functions that do not depend on the scale of their argument.
bool scales_with_bytes(const Activation& function) {
  return function.kind == ActivationKind::relu || function.kind == ActivationKind::leaky_relu;
}

/// A shape that is computed on bytes as on floats.
bool keeps_bytes(const Shape& shape) {
  if (const auto* binary = std::get_if<Binary>(&shape)) {
    return binary->kind == BinaryKind::add || binary->kind == BinaryKind::mul;
  }
  if (const auto* function = std::get_if<Activation>(&shape)) {
    return function->kind == ActivationKind::relu;
  }
  return std::holds_alternative<Pooling>(shape) || std::holds_alternative<Concat>(shape) ||
         std::holds_alternative<Copy>(shape);
}

class QuantizedLayers {
 public:
  QuantizedLayers(const Program& program, std::vector<LoweredLayer>& layers)
      : program_(program), layers_(layers), readers_(layers.size()) {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      for (const Read& read : layers[index].reads) {
        if (read.producer) readers_[*read.producer].push_back(index);
      }
    }
  }

  void describe() {
    for (std::size_t index = 0; index < layers_.size(); ++index) {
      LoweredLayer& layer = layers_[index];
      if (layer.constant || layer.cost == Cost::unsupported) continue;
      if (layer.cost == Cost::measured && !layer.calls.empty() &&
          is_product(layer.calls.front().problem)) {
        describe_product(index);
      } else if (layer.precision.empty() && stays_in_bytes(index)) {
        if (layer.cost != Cost::free) set(layer, Precision::int8);
        in_bytes_.push_back(index);
      }
    }
    for (const std::size_t index : in_bytes_) free_conversions(index);
  }

 private:
  static void set(LoweredLayer& layer, Precision precision) {
    layer.precision = to_string(precision);
  }

  const Value* operand(std::size_t index, const Call& call, std::size_t place) const {
    if (place >= call.operands.size()) return nullptr;
    const Source& source = call.operands[place];
    const auto input = static_cast<std::size_t>(source.index);
    const std::vector<Value*>& inputs = program_.steps[index].inputs;
    return source.kind == Source::Kind::input && input < inputs.size() ? inputs[input] : nullptr;
  }

  /// The step that makes `value` by itself, not a view of it; null if none does.
  const Step* maker(const Value* value) const {
    return value != nullptr && value->producer ? &program_.steps[*value->producer] : nullptr;
  }
  /// That of the bytes which a DequantizeLinear of one scale makes the value of.
  std::optional<Precision> dequantized(const Value* value) const {
    const Step* const step = maker(value);
    if (step == nullptr || !is_dequantization(*step)) return std::nullopt;
    return precision_of(*step);
  }

  /// The only reader of all results; empty if there are several, or the caller reads them.
  std::optional<std::size_t> only_reader(std::size_t index) const {
    if (readers_[index].size() != 1 || layers_[index].uses != 1) return std::nullopt;
    return readers_[index].front();
  }
  bool feeds_quantization(std::size_t index) const {
    const auto reader = only_reader(index);
    return reader && is_quantization(program_.steps[*reader]);
  }

  /// A layer without products that reads bytes alone and whose results become bytes.
  bool stays_in_bytes(std::size_t index) const {
    const LoweredLayer& layer = layers_[index];
    const Step& step = program_.steps[index];
    if (is_quantization(step) || is_dequantization(step)) return false;
    if (layer.cost == Cost::free && layer.outputs.size() != 1) return false;
    for (const Call& call : layer.calls) {
      if (!keeps_bytes(call.problem.shape)) return false;
    }
    bool any = false;
    for (const Value* input : step.inputs) {
      if (input == nullptr || input->constant) continue;
      if (dequantized(input) != Precision::int8) return false;
      any = true;
    }
    return any && feeds_quantization(index);
  }

  void describe_product(std::size_t index) {
    LoweredLayer& layer = layers_[index];
    Call& product = layer.calls.front();
    const Value* const data = operand(index, product, 0);
    const Value* const second = operand(index, product, 1);
    if (second == nullptr) return;
    const auto bytes = dequantized(data);
    if (!second->constant) {
      if (!bytes || dequantized(second) != bytes) return;
      ZeroPoints points;
      if (is_asymmetric(*maker(data), true)) points.first = product.operands[0];
      if (is_asymmetric(*maker(second), false)) points.second = product.operands[1];
      if (points.first || points.second) return set_product_with_zero_points(index, points);
      return set_product_of_bytes(index, *bytes);
    }
    const Step* const weights = dequantization(program_, *second);
    const auto packed = packed_weights(program_, *second);
    if (!packed) return;
    if (bytes && weights != nullptr && precision_of(*weights) == bytes) {
      if (is_asymmetric(*weights, false)) {
        set_product_with_zero_points(index, {.second = product.operands[1]});
      } else {
        set_product_of_bytes(index, *bytes);
      }
      return;
    }
    if (weights != nullptr && packed->block > 0 &&
        has_blocks_of_columns(product, *second, *weights)) {
      return refuse(layer, "no library here multiplies weights with a scale for blocks of columns");
    }
    Problem stored = product.problem;
    stored.packed = packed;
    if (inputs(stored)[1].role != Role::weights) return;
    product.problem = std::move(stored);
    set_work(layer);
  }

  /// Whether the weights of a block belong to several sums of a product of matrices.
  bool has_blocks_of_columns(const Call& product, const Value& value, const Step& step) const {
    const auto* gemm = std::get_if<Gemm>(&product.problem.shape);
    const auto axis = axis_of_blocks(program_, value, step);
    if (gemm == nullptr || !axis || !value.shape || value.shape->size() < 2) return false;
    const std::size_t columns = value.shape->size() - (gemm->transpose_b ? 2 : 1);
    return *axis == columns;
  }

  static void refuse(LoweredLayer& layer, std::string reason) {
    layer.cost = Cost::unsupported;
    layer.reason = std::move(reason);
    layer.calls.clear();
    layer.whole.reset();
    layer.problems.clear();
  }

  /// The product, its bias, and the functions up to the next QuantizeLinear, as one call.
  void set_product_of_bytes(std::size_t index, Precision precision) {
    LoweredLayer& layer = layers_[index];
    Call product = layer.calls.front();
    for (std::size_t next = 1; next < layer.calls.size(); ++next) {
      if (!absorb(product, layer.calls[next], next)) return;
    }
    std::vector<std::size_t> functions;
    std::size_t last = index;
    for (auto reader = only_reader(last); reader; reader = only_reader(last)) {
      const LoweredLayer& after = layers_[*reader];
      const bool one = after.cost == Cost::measured && after.calls.size() == 1;
      const auto* function =
          one ? std::get_if<Activation>(&after.calls.front().problem.shape) : nullptr;
      if (function == nullptr || !scales_with_bytes(*function)) break;
      functions.push_back(*reader);
      last = *reader;
    }
    if (feeds_quantization(last)) {
      for (const std::size_t function : functions) {
        const auto& step = std::get<Activation>(layers_[function].calls.front().problem.shape);
        product.problem = with_step(std::move(product.problem), without_input(step));
        make_free(layers_[function], "part of the 8-bit call before it");
      }
    } else {
      last = index;
    }
    layer.calls = {std::move(product)};
    layer.whole.reset();
    set(layer, precision);
    set_work(layer);
    in_bytes_.push_back(index);
    if (last != index) in_bytes_.push_back(last);
  }

  /// The product with its bias, the sums of the data, and the difference.
  void set_product_with_zero_points(std::size_t index, const ZeroPoints& points) {
    LoweredLayer& layer = layers_[index];
    Call product = layer.calls.front();
    try {
      for (std::size_t next = 1; next < layer.calls.size(); ++next) {
        if (!absorb(product, layer.calls[next], next)) {
          throw NotExpressible("a zero point before another call");
        }
      }
      if (!product.problem.epilogue.steps.empty() || product.problem.epilogue.activation) {
        throw NotExpressible("a zero point before a function");
      }
      layer.calls = with_sums_of_data(std::move(product), points);
    } catch (const NotExpressible& reason) {
      return refuse(layer, reason.what());
    }
    layer.whole.reset();
    set(layer, Precision::int8);
    set_work(layer);
    in_bytes_.push_back(index);
  }

  static Activation without_input(Activation function) {
    function.input = {};
    return function;
  }

  /// Takes call `place` of the layer, which follows `product`, into it. Returns false if it is no
  /// bias or function.
  static bool absorb(Call& product, const Call& next, std::size_t place) {
    const auto reads_last = [&](const Source& source) {
      return source.kind == Source::Kind::call &&
             static_cast<std::size_t>(source.index) == place - 1;
    };
    if (const auto* function = std::get_if<Activation>(&next.problem.shape)) {
      if (!scales_with_bytes(*function) || !reads_last(next.operands[0])) return false;
      product.problem = with_step(std::move(product.problem), without_input(*function));
      return true;
    }
    const auto* sum = std::get_if<Binary>(&next.problem.shape);
    if (sum == nullptr || sum->kind != BinaryKind::add || product.problem.epilogue != Epilogue{} ||
        !reads_last(next.operands[0])) {
      return false;
    }
    Problem biased = product.problem;
    biased.epilogue.bias = true;
    const auto bias = bias_operand(biased);
    if (!bias ||
        element_count(inputs(biased)[*bias].dims) != element_count(inputs(next.problem)[1].dims)) {
      return false;
    }
    product.problem = std::move(biased);
    product.operands.push_back(next.operands[1]);
    return true;
  }

  static void make_free(LoweredLayer& layer, const char* reason) {
    layer.cost = Cost::free;
    layer.reason = reason;
    layer.calls.clear();
    layer.whole.reset();
    set_work(layer);
  }

  bool is_in_bytes(std::size_t index) const {
    return std::ranges::find(in_bytes_, index) != in_bytes_.end();
  }

  /// QuantizeLinear behind the layer, and DequantizeLinear before it if nobody else needs floats.
  void free_conversions(std::size_t index) {
    if (feeds_quantization(index)) make_free(layers_[readers_[index].front()], part_of_call);
    for (const Value* input : program_.steps[index].inputs) {
      if (!dequantized(input) || input->constant) continue;
      const std::size_t before = *input->producer;
      const bool all = std::ranges::all_of(
          readers_[before], [this](std::size_t reader) { return is_in_bytes(reader); });
      if (all && static_cast<std::size_t>(layers_[before].uses) == readers_[before].size()) {
        make_free(layers_[before], part_of_call);
      }
    }
  }

  const Program& program_;
  std::vector<LoweredLayer>& layers_;
  std::vector<std::vector<std::size_t>> readers_;
  /// Layers whose calls read and write bytes, or the last of those that one such call does.
  std::vector<std::size_t> in_bytes_;
};

}  // namespace

void describe_quantized(const Program& program, std::vector<LoweredLayer>& layers) {
  QuantizedLayers(program, layers).describe();
}

}  // namespace benanza::onnx
