#pragma once

#include "core/problem/operand.h"

namespace benanza {

enum class QuantizationKind { quantize, dequantize };

/// Between a tensor of the variant's precision and signed 8-bit integers, by one scale or one for
/// every channel of `axis`: quantize stores round(8 x), saturated; dequantize gives q / 8. The
/// scale is of no matter for the time; a power of two keeps the values exact. A zero point is an
/// addition on the way, which costs no more. Keys: quantize/1x64x56x56, dequantize/1x64x56x56_a1
struct Quantization {
  QuantizationKind kind = QuantizationKind::quantize;
  Dims input;
  /// -1: one scale.
  std::int64_t axis = -1;

  bool operator==(const Quantization&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "quantize" || op == "dequantize"; }
  std::string_view op() const {
    return kind == QuantizationKind::quantize ? "quantize" : "dequantize";
  }
  void write(KeyWriter& writer) const;
  static Quantization read(KeyReader& reader);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// Else it reads them.
  bool writes_integers() const { return kind == QuantizationKind::quantize; }
  /// One product per element.
  double flops() const { return static_cast<double>(element_count(input)); }
};

}  // namespace benanza
