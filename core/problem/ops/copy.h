#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Moves `dims` elements from one strided view to another: what Transpose, Slice, Split and Pad
/// ask of memory. Element (i0, i1, ...) goes from sum(i * from) to sum(i * to), in elements.
/// Neither view skips before its first element. Adjacent axes that both views walk in order are
/// merged, so that equal movements are equal problems (canonical()).
/// Key: copy/64x56x56_f3136.56.1_t1.3584.64
struct Copy {
  Dims dims;
  Dims from;
  Dims to;

  bool operator==(const Copy&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "copy"; }
  std::string_view op() const { return "copy"; }
  void write(KeyWriter& writer) const {
    writer.dims("", dims).dims("f", from, '.').dims("t", to, '.');
  }
  static Copy read(KeyReader& reader);

  /// The same movement without axes of extent 1 and with contiguous axes merged; at least one axis.
  Copy canonical() const;

  /// One flat operand that spans the source view.
  std::vector<Operand> inputs() const;
  /// Flat extent of the destination view. Elements between the strides are not written.
  Dims output() const;
  double flops() const { return 0; }
  std::int64_t moved_elements() const { return element_count(dims); }
};

/// Row-major strides of a dense tensor, in elements.
Dims dense_strides(const Dims& dims);

}  // namespace benanza
