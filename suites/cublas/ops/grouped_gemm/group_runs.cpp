#include "suites/cublas/ops/grouped_gemm/group_runs.h"

#include <utility>

#include "suites/harness/each_group.h"

namespace benanza::cublas {

std::vector<GroupRun> runs_with_rows(const GroupedGemm& shape) {
  std::vector<GroupRun> runs;
  GroupRun next;
  for (std::size_t run = 0; run < shape.groups.size(); ++run) {
    next.groups = shape.groups[run];
    next.rows = shape.m[run];
    if (next.rows > 0) runs.push_back(next);
    next.first_group += next.groups;
    next.first_row += next.groups * next.rows;
  }
  return runs;
}

nvidia::CallSetup grouped_setup(const GroupedGemm& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  std::vector<nvidia::TensorFormat> inputs;
  for (const Operand& operand : shape.inputs()) {
    inputs.push_back(nvidia::tensor_format(precision, operand.dims, Layout::plain));
  }
  // As BLAS wants weights of 8-bit types.
  const bool is_transposed = packed(harness::product_of_group(shape, 1), precision).transpose_b;
  if (is_transposed != shape.transpose_b) inputs[1].strides = {shape.k * shape.n, 1, shape.k};
  return {.inputs = std::move(inputs),
          .results = {nvidia::tensor_format(variant.problem.packed ? Precision::bf16 : precision,
                                            shape.output(), Layout::plain)}};
}

GroupOffsets offsets_of(const GroupedGemm& shape, const GroupRun& run, std::int64_t group) {
  const std::int64_t row = run.first_row + group * run.rows;
  return {
      .a = row * shape.k, .b = (run.first_group + group) * shape.k * shape.n, .c = row * shape.n};
}

}  // namespace benanza::cublas
