#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::testing {

/// A variant and the algorithms the library names for it; empty, with its words, if it refuses.
struct Offered {
  Variant variant;
  std::vector<Algorithm> algorithms;
  std::string refusal;
};

/// What the backend offers for a key in every layout it finds worth measuring.
std::vector<Offered> offered(Backend& backend, const std::string& key, Precision precision,
                             AlgorithmSet set);

/// Every combination of `offered`, as variants ready for create().
std::vector<Variant> variants(Backend& backend, const std::string& key, Precision precision,
                              AlgorithmSet set);

/// "conv/1x8... bf16 nhwc jit:avx2"
std::string name_of(const Variant& variant);

}  // namespace benanza::testing
