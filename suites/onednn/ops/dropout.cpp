#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

/// There is none up to version 3.2. It is said, so that a training step is known to lack it.
void register_dropout(SolverTable& table) {
  table.add(
      solver_of_one_way<Dropout>([](const Dropout&) { return std::vector{Layout::plain}; },
                                 [](const Dropout&, const Problem&, const VariantContext&) -> Plan {
                                   throw harness::Unsupported("oneDNN has no dropout");
                                 }));
}

}  // namespace benanza::onednn
