#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {

/// Problems that no NVIDIA library used here solves.
void register_refused(WayTable& table) {
  table.add(
      harness::refusing<Library, Resampling>("cuDNN's call-per-layer functions do not resample"));
}

}  // namespace benanza::cudnn
