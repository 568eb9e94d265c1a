#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {

/// oneDNN has none up to version 3.2. The refusal records that a training step lacks it.
void register_dropout(SolverTable& table) {
  table.add(
      solver_of_one_way<Dropout>([](const Dropout&) { return std::vector{Layout::plain}; },
                                 [](const Dropout&, const Problem&, const VariantContext&) -> Plan {
                                   throw harness::Unsupported("oneDNN has no dropout");
                                 }));
}

}  // namespace benanza::onednn
