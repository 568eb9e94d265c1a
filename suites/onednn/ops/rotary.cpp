#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_rotary(SolverTable& table) {
  table.add(harness::refusing<Library, Rotary>("oneDNN rotates no rows"));
}

}  // namespace benanza::onednn
