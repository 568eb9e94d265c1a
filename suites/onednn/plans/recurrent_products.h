#pragma once

#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/harness/backend.h"
#include "suites/onednn/ways/implementations.h"

namespace benanza::onednn {

/// Ways to compute a recurrence of inference, which is faster for many shapes than the library's
/// own calls for it: the inputs of all steps are one product (one a gate for several sequences);
/// each step is a product with its state, or two, whose post-ops are the gates' functions, and one
/// or two elementwise calls. Named "products.brg:avx512_core", for the implementation of the
/// products, with `prefix` before it. Throws Unsupported if there is none.
std::vector<harness::Way> recurrent_product_ways(Library& library, const Recurrent& shape,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set,
                                                 const std::string& prefix);

}  // namespace benanza::onednn
