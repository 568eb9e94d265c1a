#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "suites/cublas/ops/lt/lt.h"
#include "suites/cublas/ways.h"
#include "suites/nvidia/run/side_streams.h"

// What the calls for groups of rows, one after the other, have in common.
namespace benanza::cublas {

/// Groups that follow each other and have equally many rows, at least one.
struct GroupRun {
  std::int64_t first_group = 0;
  std::int64_t groups = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
};

std::vector<GroupRun> runs_with_rows(const GroupedGemm& shape);

/// The matrices of one group, in elements from the beginning of each tensor.
struct GroupOffsets {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
};

GroupOffsets offsets_of(const GroupedGemm& shape, const GroupRun& run, std::int64_t group);

/// All operands and the result, which has 16 bits if the weights are in blocks: the variants' own
/// problems are packed only then.
nvidia::CallSetup grouped_setup(const GroupedGemm& shape, const harness::Variant& variant);

/// What all calls have in common.
struct GroupedCall {
  GroupedCall(const Request& request, const GroupedGemm& of)
      : library(request.library),
        shape(of),
        runs(runs_with_rows(of)),
        precision(request.variant.precision),
        types(types_of(precision)) {}

  Library& library;
  GroupedGemm shape;
  std::vector<GroupRun> runs;
  Precision precision;
  Types types;
};

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
