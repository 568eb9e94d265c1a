#include "suites/harness/primitive.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_rotary(WayTable& table) {
  table.add(harness::refusing<Library, Rotary>("oneDNN rotates no rows"));
}

}  // namespace benanza::onednn
