#include <cmath>

#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

Entry read(const Row& row) {
  SparseProduct shape{.m = row.integer("m"), .n = row.integer("n"), .k = row.integer("k")};
  const double sparsity = row.real("sparsity");
  if (!(sparsity >= 0 && sparsity < 1)) {
    throw row.error("sparsity is \"" + row.text("sparsity") + "\": wants 0 to below 1");
  }
  if (row.text("trans_a") != "N" || row.text("trans_b") != "N") {
    throw row.error("only products of matrices as they lie (N, N) are known");
  }
  const auto elements = static_cast<double>(shape.m * shape.k);
  shape.nonzeros = std::max<std::int64_t>(1, std::llround(elements * (1 - sparsity)));
  return {.sizes = "m=" + row.text("m") + " n=" + row.text("n") + " k=" + row.text("k") +
                   " NN sparsity=" + row.text("sparsity"),
          .passes = {{.name = "fwd", .problem = Problem{shape, {}}}}};
}

}  // namespace

/// The columns of the dense, column-major matrices are rows here; the sparse matrix is unchanged.
Kind sparse_gemm_kind() { return {"sparse_gemm", read}; }

}  // namespace benanza::lists
