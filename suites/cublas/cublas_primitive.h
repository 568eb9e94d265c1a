#pragma once

#include "suites/cublas/library.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// A matrix product by cuBLAS. Its time is held against the device's peaks.
class CublasPrimitive : public nvidia::CudaPrimitive {
 public:
  /// `workspace_bytes`: beside the handle's.
  CublasPrimitive(Library& library, const harness::Variant& variant,
                  std::int64_t workspace_bytes = 0);

 protected:
  Library& library() const { return library_; }

 private:
  Library& library_;
};

}  // namespace benanza::cublas
