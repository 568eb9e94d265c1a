#pragma once

#include "core/problem/operand.h"

namespace benanza {

enum class QuantizationKind { quantize, dequantize };

/// Converts between a tensor in the variant's precision and 8 bits (signed integers, or e4m3 floats
/// if `fp8`), with one scale or one per channel of `axis`: quantize stores round(8 x), saturated;
/// dequantize returns q / 8. The scale does not affect the time; a power of two keeps the values
/// exact. A zero point would be one more addition and not change the cost.
/// Keys: quantize/1x64x56x56, dequantize/1x64x56x56; dequantize/1x64x56x56_a1; quantize/8x4096_fp8
struct Quantization {
  QuantizationKind kind = QuantizationKind::quantize;
  Dims input;
  /// -1: a single scale.
  std::int64_t axis = -1;
  bool fp8 = false;

  bool operator==(const Quantization&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "quantize" || op == "dequantize"; }
  std::string_view op() const {
    return kind == QuantizationKind::quantize ? "quantize" : "dequantize";
  }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// Otherwise it reads them.
  bool writes_bytes() const { return kind == QuantizationKind::quantize; }
  /// One product per element.
  double flops() const { return static_cast<double>(element_count(input)); }
};

}  // namespace benanza
