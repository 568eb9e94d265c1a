#pragma once

#include "suites/cublas/library.h"
#include "suites/cublas/product.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// A matrix product by cuBLAS. Its time is held against the device's peaks.
class CublasPrimitive : public nvidia::CudaPrimitive {
 public:
  /// `product`: the variant's problem as the library computes it. `workspace_bytes`: beside the
  /// handle's.
  CublasPrimitive(Library& library, const harness::Variant& variant, Product product,
                  std::int64_t workspace_bytes = 0);

 protected:
  Library& library() const { return library_; }
  const Product& product() const { return product_; }
  /// A (0) or B (1) of the product.
  std::byte* factor(std::size_t index) const;

 private:
  Library& library_;
  Product product_;
  /// Where a source is empty.
  nvidia::DeviceMemory ones_;
};

}  // namespace benanza::cublas
