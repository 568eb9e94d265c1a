#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "suites/harness/operands.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// An operand of weights, packed in pieces for several products: consecutive rows of the operand's
/// floats, each for one column of a product.
class PackedRows {
 public:
  /// Adds a piece of which `format` is the packed form: inputs x rows. The pieces follow each other
  /// in the operand.
  void add(const Memory::desc& format) { formats_.push_back(format); }
  /// After the last add(): asks for the operand's place.
  void place(harness::Operands& places, std::size_t operand, const std::string& format_name,
             const dnnl::engine& engine);
  void upload(std::span<const float> values, const dnnl::stream& stream) const;
  const Memory& piece(std::size_t index) const { return pieces_.at(index); }

 private:
  std::vector<Memory::desc> formats_;
  std::vector<Memory> pieces_;
};

/// A reorder, which has ended when this returns.
void converted(const dnnl::stream& stream, const Memory& from, const Memory& to);

}  // namespace benanza::onednn
