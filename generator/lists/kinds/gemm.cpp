#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

bool transposed(const Row& row, std::string_view column) {
  const std::string& word = row.text(column);
  if (word != "N" && word != "T") {
    throw row.error(std::string(column) + " is \"" + word + "\": wants N or T");
  }
  return word == "T";
}

Entry read(const Row& row) {
  const std::int64_t m = row.integer("m");
  const std::int64_t n = row.integer("n");
  const std::int64_t k = row.integer("k");
  const bool a = transposed(row, "trans_a");
  const bool b = transposed(row, "trans_b");
  // A column-major matrix is the transpose of a row-major one: the same memory holds C' = op(B)'
  // op(A)', and a matrix that BLAS does not transpose is not transposed here either.
  const Gemm shape{
      .m = n, .n = m, .k = k, .transpose_a = b, .transpose_b = a, .batch_a = {}, .batch_b = {}};
  return {.sizes = "m=" + std::to_string(m) + " n=" + std::to_string(n) +
                   " k=" + std::to_string(k) + ' ' + row.text("trans_a") + row.text("trans_b"),
          .passes = {{.name = "fwd", .problem = Problem{shape, {}}}}};
}

}  // namespace

/// Neither matrix is a constant, so nothing is packed outside the measured time.
Kind gemm_kind() { return {"gemm", read}; }

}  // namespace benanza::lists
