#pragma once

#include <functional>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// Returns the names of the implementations of `set`, in the library's order: the attempt's prefix
/// and the implementation's name ("jit:avx2"), with blanks and slashes replaced, and "#2" appended
/// to a name's second occurrence. Leading are, of every attempt, those that differ in more than the
/// instruction set ("jit:avx2" after "jit:avx512_core" does not). Throws Unsupported with the
/// message of the first refusal if every attempt is refused.
std::vector<harness::Algorithm> implementation_names(const std::vector<Attempt>& attempts,
                                                     harness::AlgorithmSet set);

/// The same on all threads, followed, for each count of fewer_threads(), by the leading
/// implementations of each attempt: at most two, one for AlgorithmSet::leading, and reference code
/// only if requested.
std::vector<harness::Algorithm> threaded_names(const std::vector<Attempt>& attempts,
                                               const harness::Variant& prototype,
                                               harness::AlgorithmSet set);

/// Whether all of these are reference code; true for an empty list.
bool only_reference_code(const std::vector<harness::Algorithm>& names);

/// Returns the plan of the implementation `name`. Throws Unsupported if there is none.
Plan plan_named(const std::vector<Attempt>& attempts, const harness::Algorithm& name);

}  // namespace benanza::onednn
