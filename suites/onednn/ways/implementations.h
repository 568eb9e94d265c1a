#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/onednn/ways/attempt.h"
#include "suites/onednn/ways/threads.h"

namespace benanza::onednn {

/// oneDNN on the host's CPUs.
struct Library {
  dnnl::engine engine;
  dnnl::stream stream;
};

/// One implementation that the library offers for an attempt.
struct Offer {
  /// The attempt's prefix and the implementation's name ("jit:avx2"), with blanks and slashes
  /// replaced, and "#2" appended to a name's second occurrence.
  harness::Algorithm name;
  /// The attempt's, and whether it is reference code.
  harness::Traits traits = {};
  /// Its position in the attempt's list.
  std::size_t place = 0;
  /// No earlier implementation of the attempt differs in the instruction set alone ("jit:avx2"
  /// after "jit:avx512_core" does).
  bool is_first_of_kind = true;
  /// Of an implementation of the problem as it is stated, on all threads: 1 for the one that the
  /// library takes if it is not told which, 2 for its next, and so on.
  std::optional<int> rank = std::nullopt;
  /// Attempt::defect of the implementation.
  std::string defect = {};
};

/// Returns the implementations of `set`, in the library's order. Leading are, of every attempt,
/// those that are the first of their kind. Throws Unsupported with the message of the first refusal
/// if every attempt is refused.
std::vector<Offer> offers(const std::vector<Attempt>& attempts, harness::AlgorithmSet set);

/// The ways of `set` in the prototype's layout, one of `layouts`: offers() on all threads,
/// followed, for each count of fewer_threads(), by the leading implementations of each attempt: at
/// most two, one for AlgorithmSet::leading, and reference code only if requested. Throws
/// Unsupported if there is reference code alone, and something better in another layout: one call
/// of it can take as long as all others together.
std::vector<harness::Way> threaded_ways(
    Library& library, const harness::Variant& prototype, const std::vector<Layout>& layouts,
    const std::function<std::vector<Attempt>(Layout)>& attempts_in, harness::AlgorithmSet set);

/// The way that the variant names. Only attempts whose prefix begins the name are made. Throws
/// Unsupported if there is none, or one with a defect.
harness::Way way_named(Library& library, const std::vector<Attempt>& attempts,
                       const harness::Variant& variant);

}  // namespace benanza::onednn
