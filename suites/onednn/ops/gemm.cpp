#include "suites/onednn/product.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_gemm(SolverTable& table) {
  table.add(solver_of_ways<Gemm>([](const Gemm&) { return std::vector{Layout::plain}; },
                                 ways_of_product, Steps::appended));
}

}  // namespace benanza::onednn
