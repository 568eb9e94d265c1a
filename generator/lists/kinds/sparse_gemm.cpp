#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

Entry read(const Row& row) {
  for (const char* column : {"m", "n", "k"}) row.integer(column);
  const double sparsity = row.real("sparsity");
  if (sparsity < 0 || sparsity >= 1) throw row.error("sparsity wants 0 to 1");
  return {.sizes = "m=" + row.text("m") + " n=" + row.text("n") + " k=" + row.text("k") + ' ' +
                   row.text("trans_a") + row.text("trans_b") + " sparsity=" + row.text("sparsity"),
          .passes = {
              {.name = "fwd", .reason = "products with sparse matrices are no problem here yet"}}};
}

}  // namespace

Kind sparse_gemm_kind() { return {"sparse_gemm", read}; }

}  // namespace benanza::lists
