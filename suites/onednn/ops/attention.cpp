#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_attention(WayTable& table) {
  constexpr const char* reason = "oneDNN has attention in its parts alone";
  table.add(harness::refusing<Library, Attention>(reason));
  table.add(harness::refusing<Library, AttentionGradient>(reason));
}

}  // namespace benanza::onednn
