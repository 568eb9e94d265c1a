#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "suites/cublas/ops/grouped_gemm/group_runs.h"
#include "suites/cublas/ops/lt/lt.h"
#include "suites/nvidia/run/side_streams.h"

namespace benanza::cublas {

/// Divides groups of so many rows among at most so many streams, by the tiles of 128 rows that they
/// take; each gets groups that follow each other. Returns the group behind each stream's last one.
std::vector<std::size_t> ends_of_streams(std::span<const std::int64_t> rows, std::size_t streams);

/// cublasLtMatmul for each group, by weights of 8-bit floats with a scale for each block. The
/// library takes rows in fours: the rows that a group lacks are the first ones of the next groups,
/// whose results are written over its own later, in the same stream.
class InBlocks {
 public:
  /// `side_streams`: each multiplies groups that follow each other; none: one stream for all.
  InBlocks(const Request& request, const GroupedGemm& shape, std::size_t side_streams);

  std::int64_t workspace_bytes() const;
  std::int64_t spare_bytes() const;

  void operator()(const nvidia::CudaPrimitive& call) const;

 private:
  struct Product {
    LtMatmul matmul;
    LtChoice choice;
  };
  struct Group {
    GroupOffsets offsets;
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
  };

  void add_product(std::int64_t rows);
  /// Into call.output(), or first into a side's own memory if its last rows are another stream's.
  void multiply(const nvidia::CudaPrimitive& call, const Group& group, std::size_t side,
                std::int64_t end_row) const;

  GroupedCall made_;
  nvidia::SideStreams sides_;
  nvidia::DeviceMemory scales_;
  /// By rows, which are a multiple of 4.
  std::map<std::int64_t, Product> products_;
  std::vector<Group> groups_;
  /// Of each stream, the group behind its last one.
  std::vector<std::size_t> ends_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace benanza::cublas
