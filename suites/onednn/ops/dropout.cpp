#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// oneDNN has none up to version 3.2. The refusal records that a training step lacks it.
void register_dropout(WayTable& table) {
  table.add(
      family_of_one<Dropout>([](const Dropout&) { return std::vector{Layout::plain}; },
                             [](const Dropout&, const Problem&, const VariantContext&) -> Plan {
                               throw harness::Unsupported("oneDNN has no dropout");
                             }));
}

}  // namespace benanza::onednn
