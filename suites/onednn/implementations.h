#pragma once

#include <functional>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// Names of the implementations of `set`, in the library's order: the attempt's prefix and the
/// implementation's name ("jit:avx2"), blanks and slashes replaced, "#2" appended to the second of
/// a name. Throws Unsupported, in the words of the first refusal, if every attempt is refused.
std::vector<harness::Algorithm> implementation_names(const std::vector<Attempt>& attempts,
                                                     harness::AlgorithmSet set);

/// The same on all threads; then, on each count of fewer_threads(), those that lead an attempt's
/// list: at most two of each, no reference code unless it is asked for.
std::vector<harness::Algorithm> threaded_names(const std::vector<Attempt>& attempts,
                                               const harness::Variant& prototype,
                                               harness::AlgorithmSet set);

/// Are all of these reference code? True of none.
bool only_reference_code(const std::vector<harness::Algorithm>& names);

/// The plan of the implementation called `name`. Throws Unsupported if there is none.
Plan plan_named(const std::vector<Attempt>& attempts, const harness::Algorithm& name);

}  // namespace benanza::onednn
