#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suites/cublas/ops/grouped_gemm/group_runs.h"
#include "suites/cublas/ops/lt/lt.h"
#include "suites/nvidia/run/side_streams.h"

namespace benanza::cublas {

/// What one cublasLtMatmul does: a group's product, or those of a run as a strided batch.
enum class LtUnit { group, run };

/// How cuBLASLt multiplies the groups.
struct LtPlan {
  LtUnit unit = LtUnit::group;
  /// The rank of the choice in the library's order; the last one where there are fewer.
  std::size_t choice = 0;
  /// None: one call after the other.
  std::size_t side_streams = 0;
};

/// cublasLtMatmul for each group or for each run, by one of its choices for so many rows.
class ByLt {
 public:
  ByLt(const Request& request, const GroupedGemm& shape, const LtPlan& plan);

  std::int64_t workspace_bytes() const;

  void operator()(const nvidia::CudaPrimitive& call) const;

 private:
  struct Product {
    GroupRun run;
    std::int64_t groups = 1;
    LtMatmul matmul;
    LtChoice choice;
  };

  /// From a group of a run on; the number of this call says which stream takes it.
  void multiply(const nvidia::CudaPrimitive& call, const Product& product, std::int64_t group,
                std::size_t number) const;
  /// Of the places where groups begin.
  std::uint32_t alignment_of(std::uint32_t whole, const GroupRun& run) const;

  GroupedCall made_;
  nvidia::SideStreams sides_;
  std::vector<Product> products_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace benanza::cublas
