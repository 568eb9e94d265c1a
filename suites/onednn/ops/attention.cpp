#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {

Solver solver(const Attention&, const Problem&) {
  return solver_of_one({Layout::plain}, [](const Setting&) -> Plan {
    throw Unsupported("oneDNN 2 has attention in its parts alone");
  });
}

}  // namespace benanza::onednn
