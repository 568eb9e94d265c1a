#pragma once

#include <cstdint>
#include <vector>

#include "suites/cublas/ways.h"

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

}  // namespace benanza::cublas
