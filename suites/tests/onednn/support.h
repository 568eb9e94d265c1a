#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// A variant and the algorithms the library names for it; empty, with its words, if it refuses.
struct Offered {
  harness::Variant variant;
  std::vector<harness::Algorithm> algorithms;
  std::string refusal;
};

/// The algorithms that the backend has for a key in every layout it finds worth measuring.
std::vector<Offered> offered(harness::Backend& backend, const std::string& key, Precision precision,
                             harness::AlgorithmSet set);

/// Every combination of `offered`, as variants ready for create().
std::vector<harness::Variant> variants(harness::Backend& backend, const std::string& key,
                                       Precision precision, harness::AlgorithmSet set);

/// "conv/1x8... bf16 nhwc jit:avx2"
std::string name_of(const harness::Variant& variant);

}  // namespace benanza::onednn
