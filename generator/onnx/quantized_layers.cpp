#include "generator/onnx/quantized_layers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <variant>

#include "core/problem/precision.h"
#include "generator/onnx/block_products.h"
#include "generator/onnx/byte_conversions.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/quantization.h"
#include "generator/onnx/scale_axes.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

constexpr const char* part_of_call = "part of the 8-bit calls around it";

class QuantizedLayers {
 public:
  QuantizedLayers(const Program& program, std::vector<LoweredLayer>& layers)
      : program_(program), layers_(layers), readers_(layers.size()) {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      if (layers[index].uses == 0 && layers[index].cost == Cost::free) continue;  // itself unread
      for (const Read& read : layers[index].reads) {
        if (read.producer) readers_[*read.producer].push_back(index);
      }
    }
  }

  void describe() {
    for (std::size_t index = 0; index < layers_.size(); ++index) {
      LoweredLayer& layer = layers_[index];
      if (layer.constant || layer.cost == Cost::unsupported) continue;
      if (starts_with_product(layers_[index])) {
        describe_product(index);
        describe_later_products(program_, program_.steps[index], layer);
      } else if (layer.precision.empty() && stays_in_bytes(index)) {
        if (layer.cost != Cost::free) set(layer, Precision::int8);
        in_bytes_.push_back(index);
        take_functions_behind(index);
      } else {
        describe_later_products(program_, program_.steps[index], layer);
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
    return axis_of_scales(program_, *value, *step) ? std::nullopt : precision_of(*step);
  }

  static bool has_several_scales(const Step& dequantization) {
    const Value* const scales = dequantization.inputs[1];
    return scales == nullptr || !scales->shape || element_count(*scales->shape) != 1;
  }

  /// The DequantizeLinear that makes the bytes of `value`, itself or what layers that move its
  /// elements have made of it, which are added to `moved`. Null if there is none, or others read
  /// what is between.
  const Step* bytes_behind(const Value* value, std::vector<std::size_t>& moved) const {
    bool picks = false;
    for (const Step* step = maker(value); step != nullptr; step = maker(value)) {
      if (is_dequantization(*step)) return picks && has_several_scales(*step) ? nullptr : step;
      const std::size_t index = *value->producer;
      if (!is_moving(index) || !only_reader(index)) return nullptr;
      picks = picks || !is_view(step->node);
      moved.push_back(index);
      value = step->inputs[0];
    }
    return nullptr;
  }
  /// The same for operand `place` of a product, which can take the scales.
  const Step* bytes_of(const Call& product, std::size_t place, const Value* value,
                       std::vector<std::size_t>& moved) const {
    const Step* const step = bytes_behind(value, moved);
    if (step == nullptr || !has_scales_in_sums(program_, product, place, *value, *step))
      return step;
    moved.clear();
    return nullptr;
  }
  /// Of a product, if it has become one of bytes.
  void keep_in_bytes(std::size_t product, const std::vector<std::size_t>& moved) {
    if (layers_[product].precision.empty()) return;
    for (const std::size_t index : moved) {
      if (layers_[index].cost == Cost::movement) set(layers_[index], Precision::int8);
      in_bytes_.push_back(index);
    }
  }

  /// Packed weights as the first operand: the product is that of the transposed matrices, with the
  /// weights second.
  void turn_packed(std::size_t index, const Value& weights) {
    LoweredLayer& layer = layers_[index];
    const auto packed = packed_weights(program_, weights);
    if (!packed) return;
    Call& product = layer.calls.front();
    auto* const gemm = std::get_if<Gemm>(&product.problem.shape);
    if (gemm == nullptr || !gemm->batch_a.empty() || !gemm->batch_b.empty()) {
      return refuse(layer, "packed weights as the first operand of other than two matrices",
                    weights);
    }
    std::swap(gemm->m, gemm->n);
    const bool a = gemm->transpose_a;
    gemm->transpose_a = !gemm->transpose_b;
    gemm->transpose_b = !a;
    gemm->constant_b = true;
    product.problem.packed = packed;
    std::swap(product.operands[0], product.operands[1]);
    product.is_proxy = true;
    set_work(layer);
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
  /// The same of several results, each of which becomes bytes.
  bool feeds_quantizations(std::size_t index) const {
    return layers_[index].uses == std::ssize(readers_[index]) && !readers_[index].empty() &&
           std::ranges::all_of(readers_[index], [this](std::size_t reader) {
             return is_quantization(program_.steps[reader]);
           });
  }

  bool is_moving(std::size_t index) const {
    return moves_elements(program_.steps[index], layers_[index]);
  }

  /// The layers between `index` and the only QuantizeLinear behind it: functions that keep bytes
  /// bytes, and layers that move elements. Empty if there is none, or nothing between.
  std::vector<std::size_t> before_quantization(std::size_t index) const {
    std::vector<std::size_t> between;
    auto reader = only_reader(index);
    for (; reader && !is_quantization(program_.steps[*reader]); reader = only_reader(*reader)) {
      if (function_of(layers_[*reader]) == nullptr && !is_moving(*reader)) return {};
      between.push_back(*reader);
    }
    if (!reader) return {};
    const bool all = std::ranges::all_of(between, [&](std::size_t layer) {
      const Activation* const function = function_of(layers_[layer]);
      return function == nullptr ||
             (starts_with_product(layers_[index]) && scales_with_bytes(*function)) ||
             (makes_integers(program_.steps[*reader]) && keeps_bytes(*function));
    });
    return all ? between : std::vector<std::size_t>{};
  }

  /// Makes the layers between a call of bytes, of `problem`, and the conversion behind it a part of
  /// these, or calls of bytes: a function of bytes commutes with the conversion.
  void take(const std::vector<std::size_t>& between, Problem& problem) {
    if (between.empty()) return;
    const Step& quantization = program_.steps[*only_reader(between.back())];
    for (const std::size_t layer : between) {
      const Activation* const function = function_of(layers_[layer]);
      if (function == nullptr) {
        if (layers_[layer].cost == Cost::movement) set(layers_[layer], Precision::int8);
        continue;
      }
      const bool saturated = saturates(quantization, *function);
      if (scales_with_bytes(*function) && is_product(problem)) {
        problem = with_step(std::move(problem), without_input(*function));
        make_free(layers_[layer], "part of the 8-bit call before it");
      } else if (saturated) {
        make_free(layers_[layer], "done by the conversion to 8 bits behind it");
      } else {
        set(layers_[layer], Precision::int8);
      }
    }
    in_bytes_.push_back(between.back());
  }

  /// A relu behind a sum or product of elements that the conversion to bytes does.
  void take_functions_behind(std::size_t index) {
    const std::vector<std::size_t> between = before_quantization(index);
    if (between.empty() || layers_[index].calls.size() != 1) return;
    take(between, layers_[index].calls.front().problem);
    set_work(layers_[index]);
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
    if (!any) return false;
    if (feeds_quantization(index)) return true;
    if (layer.cost == Cost::movement) return feeds_quantizations(index);
    return layer.calls.size() == 1 &&
           std::holds_alternative<Binary>(layer.calls[0].problem.shape) &&
           !before_quantization(index).empty();
  }

  /// A product of 8-bit floats by weights of blocks of them becomes one call at 8 bits, whose
  /// results are floats. False for others.
  bool describe_in_blocks(std::size_t index, const Value* data, const Value& weights) {
    LoweredLayer& layer = layers_[index];
    Call& product = layer.calls.front();
    const Step* const conversion = maker(data);
    if (layer.calls.size() != 1 || !weights.constant || conversion == nullptr ||
        !is_dequantization(*conversion) || !makes_rows_of_fp8(*conversion)) {
      return false;
    }
    const auto packed = weights_in_blocks(program_, product, weights);
    if (!packed) return false;
    product.problem.packed = packed;
    set(layer, Precision::fp8);
    set_work(layer);
    in_bytes_.push_back(index);
    makes_floats_.insert(index);
    return true;
  }

  void describe_product(std::size_t index) {
    LoweredLayer& layer = layers_[index];
    Call& product = layer.calls.front();
    const Value* const data = operand(index, product, 0);
    const Value* const second = operand(index, product, 1);
    if (second == nullptr || describe_in_blocks(index, data, *second)) return;
    std::vector<std::size_t> moved;
    const Step* const other = bytes_of(product, 1, second, moved);
    if (data != nullptr && data->constant && !second->constant && other == nullptr) {
      return turn_packed(index, *data);
    }
    const Step* const first = bytes_of(product, 0, data, moved);
    const auto bytes = first == nullptr ? std::nullopt : precision_of(*first);
    if (!second->constant) {
      if (!bytes || other == nullptr || precision_of(*other) != bytes) return;
      ZeroPoints points;
      if (is_asymmetric(*first, true)) points.first = product.operands[0];
      if (is_asymmetric(*other, false)) points.second = product.operands[1];
      set_product_of_bytes(index, *first, points);
      return keep_in_bytes(index, moved);
    }
    const Step* const weights = dequantization(program_, *second);
    const auto packed = packed_weights(program_, *second);
    if (!packed || !stores_alike(index, product, *packed)) {
      if (layer.reason.empty()) layer.reason = taken_for_floats(program_, *second);
      return;
    }
    const Step* const scaled = weights != nullptr ? weights : scaling_of_casts(program_, *second);
    if (const auto* reason = refused_scales(program_, product, *second, scaled, packed->block)) {
      return refuse(layer, reason, *second);
    }
    if (bytes && weights != nullptr && packed->block == 0 && precision_of(*weights) == bytes) {
      ZeroPoints points;
      if (is_asymmetric(*weights, false)) points.second = product.operands[1];
      if (set_product_of_bytes(index, *first, points)) return keep_in_bytes(index, moved);
    }
    Problem stored = product.problem;
    stored.packed = packed;
    if (has_scales_of_matrices(program_, product, *second, scaled)) {
      stored.packed->per_column = false;
    }
    if (inputs(stored)[1].role != Role::weights) return;
    product.problem = std::move(stored);
    set_work(layer);
    const Step* const from = data == nullptr ? nullptr : dequantization(program_, *data);
    if (from != nullptr && layer.reason.empty()) {
      layer.reason = "its data, which the file converts from " + type_name(from->inputs[0]->type) +
                     ", are taken to be floats";
    }
  }

  /// Whether the weights of a recurrence's state are stored as those of its input are; of another
  /// product, yes.
  bool stores_alike(std::size_t index, const Call& product, const PackedWeights& packed) const {
    if (!std::holds_alternative<Recurrent>(product.problem.shape)) return true;
    const Value* const recurrence = operand(index, product, 2);
    if (recurrence == nullptr || !recurrence->constant) return false;
    return packed_weights(program_, *recurrence) == packed;
  }

  /// `weights`: of which the layer, so far measured as one of floats, reads what the file stores.
  void refuse(LoweredLayer& layer, std::string reason, const Value& weights) const {
    double bits = 0;
    for (const Value* const stored : stored_tensors_and_scales(program_, weights)) {
      bits += static_cast<double>(element_count(*stored->shape)) * type_bits(stored->type);
    }
    const auto floats = static_cast<double>(element_count(*weights.shape));
    if (layer.bytes) *layer.bytes += bits / 8 - 4 * floats;
    layer.cost = Cost::unsupported;
    layer.reason = std::move(reason);
    layer.calls.clear();
    layer.whole.reset();
    layer.problems.clear();
  }

  /// Makes the product, its bias, and the functions up to the next QuantizeLinear one call, or what
  /// zero points make of it. `data` is the DequantizeLinear before it. False if something is in the
  /// way: it stays a product of floats.
  bool set_product_of_bytes(std::size_t index, const Step& data, const ZeroPoints& points) {
    LoweredLayer& layer = layers_[index];
    Call product = layer.calls.front();
    const auto* const recurrent = std::get_if<Recurrent>(&product.problem.shape);
    if (recurrent != nullptr && recurrent->kind != RecurrentKind::lstm) return false;
    for (std::size_t next = 1; next < layer.calls.size(); ++next) {
      if (!absorb(product, layer.calls[next], next)) return false;
    }
    product.problem =
        with_unsigned_data(std::move(product.problem), are_unsigned_bytes(data.inputs[0]->type));
    if (points.first || points.second) {
      if (!takes_sums_of_data(product.problem, points)) return false;
      layer.calls = with_sums_of_data(std::move(product), points);
    } else {
      take(before_quantization(index), product.problem);
      layer.calls = {std::move(product)};
    }
    layer.whole.reset();
    set(layer, *precision_of(data));
    set_work(layer);
    in_bytes_.push_back(index);
    return true;
  }

  static void make_free(LoweredLayer& layer, const char* reason) {
    layer.cost = Cost::free;
    layer.reason = reason;
    layer.calls.clear();
    layer.whole.reset();
    set_work(layer);
  }

  /// QuantizeLinear behind the layer, and DequantizeLinear before it if nobody else needs floats.
  void free_conversions(std::size_t index) {
    const bool moves = layers_[index].cost == Cost::movement;
    const bool makes_bytes = !makes_floats_.contains(index);
    if (makes_bytes && (feeds_quantization(index) || (moves && feeds_quantizations(index)))) {
      for (const std::size_t reader : readers_[index]) make_free(layers_[reader], part_of_call);
    }
    for (const Value* input : program_.steps[index].inputs) {
      const Step* const conversion = maker(input);
      if (conversion == nullptr || input->constant || !is_dequantization(*conversion)) continue;
      if (!precision_of(*conversion) && (makes_bytes || !makes_rows_of_fp8(*conversion))) continue;
      const std::size_t before = *input->producer;
      const bool all = std::ranges::all_of(readers_[before], [this](std::size_t reader) {
        return std::ranges::find(in_bytes_, reader) != in_bytes_.end();
      });
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
  /// Those of `in_bytes_` whose results are floats.
  std::set<std::size_t> makes_floats_;
};

}  // namespace

void describe_quantized(const Program& program, std::vector<LoweredLayer>& layers) {
  QuantizedLayers(program, layers).describe();
}

}  // namespace benanza::onnx
