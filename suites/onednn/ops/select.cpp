#include "suites/onednn/solvers.h"

namespace benanza::onednn {

/// a * c + b * (1 - c) is no way out: what is not finite is not hidden by a product with 0, and it
/// is what conditions are there to hide.
void register_select(SolverTable& table) {
  table.add(harness::refusing<Library, Select>(
      "oneDNN is not asked to select by a condition: its version 2 cannot"));
}

}  // namespace benanza::onednn
