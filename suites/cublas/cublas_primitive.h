#pragma once

#include "suites/cublas/library.h"
#include "suites/cublas/product.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// A matrix product by cuBLAS, whose time is checked against the device's peaks.
class CublasPrimitive : public nvidia::CudaPrimitive {
 public:
  /// `product` is the variant's problem as the library computes it. `workspace_bytes` excludes the
  /// handle's workspace.
  CublasPrimitive(Library& library, const harness::Variant& variant, Product product,
                  std::int64_t workspace_bytes = 0, Weights weights = Weights::as_given);

 protected:
  Library& library() const { return library_; }
  const Product& product() const { return product_; }
  /// Operand A (0) or B (1) of the product.
  std::byte* factor(std::size_t index) const;

 private:
  Library& library_;
  Product product_;
  /// Used for an operand without a source.
  nvidia::DeviceMemory ones_;
};

}  // namespace benanza::cublas
