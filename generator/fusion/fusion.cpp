#include "fusion/fusion.h"

namespace benanza {

std::vector<Fusion> find_fusions(const std::vector<Layer>& layers) { return bias_fusions(layers); }

}  // namespace benanza
