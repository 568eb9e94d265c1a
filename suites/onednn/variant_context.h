#pragma once

#include <vector>

#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// A variant's engine, precision and layout in the library's terms.
class VariantContext {
 public:
  /// Throws Unsupported for a precision the library has no type for on processors.
  VariantContext(const dnnl::engine& engine, Precision precision, Layout layout);

  const dnnl::engine& engine() const { return engine_; }
  Precision precision() const { return precision_; }
  Layout layout() const { return layout_; }
  bool integers() const { return precision_ == Precision::int8; }

  /// Storage type of operands and result. Biases are fp32 at every precision.
  Memory::data_type type() const { return type_; }

  /// A tensor in the variant's layout. Layout::any is the blocked format (nChw8c, or nChw16c with
  /// AVX-512) that the library's own convolutions work on.
  Memory::desc tensor(const Dims& dims) const;
  /// A tensor whose format the library chooses.
  Memory::desc chosen_by_library(const Dims& dims) const;
  /// A row-major tensor, whatever the layout.
  Memory::desc plain(const Dims& dims) const;
  Memory::desc strided(const Dims& dims, const Dims& strides) const;

  /// fp32 stays fp32; scratch memory is ours, so that it can be counted.
  dnnl::primitive_attr attributes() const;

 private:
  dnnl::engine engine_;
  Precision precision_;
  Layout layout_;
  Memory::data_type type_;
};

/// A row-major fp32 tensor: how values cross the border.
Memory::desc floats(const Dims& dims);
Memory::desc floats(const Dims& dims, const Dims& strides);

/// Layouts worth measuring for a tensor of these extents whose axis 1 holds channels: `plain`
/// unless it has 1 to 3 spatial axes; `any` if there are channels enough to fill a block.
std::vector<Layout> channel_layouts(const Dims& dims);

}  // namespace benanza::onednn
