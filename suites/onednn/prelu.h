#pragma once

#include "core/problem/ops/binary.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// Binary of kind prelu: the library has a primitive of its own for it.
Plan plan_prelu(const Binary& shape, const Setting& setting);

}  // namespace benanza::onednn
