#pragma once

#include <vector>

#include "suites/cublas/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cublas {

/// BLAS as plain loops over column-major matrices, in place of the library, so that the mapping to
/// it can be verified without a GPU. Elements are stored as floats.
class HostBlas : public harness::Primitive {
 public:
  /// `planted` breaks one step of the mapping, to test that verification detects it.
  explicit HostBlas(const harness::Variant& variant, bool planted = false);

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  void run() override;
  std::vector<float> download() override { return result_; }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  void run_gemm();
  void run_gemv();

  harness::Variant variant_;
  Gemm gemm_;
  bool planted_;
  std::vector<std::vector<float>> operands_;
  std::vector<float> result_;
};

}  // namespace benanza::cublas
