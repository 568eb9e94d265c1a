#pragma once

#include <vector>

#include "core/problem/operand.h"
#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// A variant's engine, precision and layout in oneDNN's terms.
class VariantContext {
 public:
  /// Throws Unsupported for a precision that the library has no CPU data type for. `data`: the
  /// values of the problem's first operand.
  VariantContext(const dnnl::engine& engine, Precision precision, Layout layout,
                 Domain data = Domain::any);

  const dnnl::engine& engine() const { return engine_; }
  Precision precision() const { return precision_; }
  Layout layout() const { return layout_; }
  /// Operands and result are 8-bit integers.
  bool integers() const { return type_ == Memory::data_type::s8; }
  /// At int8, of calls between conversions from and to bytes: their operands and result are fp32.
  bool dequantized() const { return precision_ == Precision::int8 && !integers(); }

  VariantContext as_dequantized() const;
  /// Whether the CPU has instructions that multiply bf16.
  static bool multiplies_bf16();
  /// At fp32: for products whose data and weights are bf16; their result stays fp32.
  VariantContext as_rounded() const;
  /// For descriptors of the first operand, which may be of another type than the others.
  VariantContext of_data() const;
  /// For those of a product's weights.
  VariantContext of_weights() const;
  VariantContext in(Layout layout) const;

  /// The data type of operands and result. Biases are fp32 at every precision.
  Memory::data_type type() const { return type_; }

  /// A memory descriptor in the variant's layout. Layout::any is the blocked format (nChw8c, or
  /// nChw16c with AVX-512) that the library's own convolutions use.
  Memory::desc tensor(const Dims& dims) const;
  /// A memory descriptor whose format the library chooses.
  Memory::desc chosen_by_library(const Dims& dims) const;
  /// A row-major memory descriptor, for every layout.
  Memory::desc plain(const Dims& dims) const;
  Memory::desc strided(const Dims& dims, const Dims& strides) const;

  /// Strict fp32 arithmetic, and a user-managed scratchpad so that its size is known.
  dnnl::primitive_attr attributes() const;

 private:
  dnnl::engine engine_;
  Precision precision_;
  Layout layout_;
  Memory::data_type type_;
  Domain data_;
  bool rounded_ = false;
};

/// Row-major fp32, the format in which values enter and leave the backend.
Memory::desc floats(const Dims& dims);
Memory::desc floats(const Dims& dims, const Dims& strides);

/// Returns the layouts worth measuring for a tensor of these extents whose axis 1 holds channels:
/// only `plain` unless it has 1 to 3 spatial axes; with `any` if there are enough channels to fill
/// a block.
std::vector<Layout> channel_layouts(const Dims& dims);

}  // namespace benanza::onednn
