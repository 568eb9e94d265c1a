#pragma once

#include <cstdint>
#include <optional>

#include "core/problem/operand.h"

namespace benanza {

/// Moves `dims` elements from one strided view to another, as Transpose, Slice, Split and Pad do.
/// Element (i0, i1, ...) moves from sum(i * from) to sum(i * to), in elements. Both views start at
/// their first element. canonical() merges adjacent axes that both views traverse in order, so that
/// equal movements are equal problems.
/// Key: copy/64x64_f64.1_t1.64; copy/64x56x56_f3136.56.1_t1.3584.64
struct Copy {
  Dims dims;
  Dims from;
  Dims to;

  bool operator==(const Copy&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "copy"; }
  std::string_view op() const { return "copy"; }
  void map(KeyFields& fields);

  /// The same movement without axes of extent 1 and with contiguous axes merged; has at least one
  /// axis.
  Copy canonical() const;

  /// One flat operand that spans the source view.
  std::vector<Operand> inputs() const;
  /// Flat extent of the destination view. Elements in the gaps between strides are not written.
  Dims output() const;
  double flops() const { return 0; }
  std::int64_t moved_elements() const { return element_count(dims); }
  /// Those of the source, each once: a stride of 0 repeats elements.
  std::int64_t read_elements() const;
};

/// Row-major strides of a dense tensor, in elements.
Dims dense_strides(const Dims& dims);

/// Transposes row-major matrices, rows x columns to columns x rows. Images change from row-major to
/// channels last if the rows are channels, back if the columns are. Empty if the order is the same.
std::optional<Copy> transposition(std::int64_t batch, std::int64_t rows, std::int64_t columns);

}  // namespace benanza
