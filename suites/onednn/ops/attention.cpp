#include "suites/onednn/solvers.h"

namespace benanza::onednn {

void register_attention(SolverTable& table) {
  table.add(harness::refusing<Library, Attention>("oneDNN has attention in its parts alone"));
}

}  // namespace benanza::onednn
