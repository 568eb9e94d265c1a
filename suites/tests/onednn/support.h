#pragma once

#include <dnnl.hpp>

#include <optional>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// A variant and its algorithms; if the library refuses, none and its message.
struct Offered {
  harness::Variant variant;
  std::vector<harness::Algorithm> algorithms;
  std::string refusal;
};

/// Returns the backend's algorithms for a key in every layout worth measuring.
std::vector<Offered> offered(harness::Backend& backend, const std::string& key, Precision precision,
                             harness::AlgorithmSet set);

/// Returns every combination of offered() as a variant for create().
std::vector<harness::Variant> variants(harness::Backend& backend, const std::string& key,
                                       Precision precision, harness::AlgorithmSet set);

/// "conv/1x8... bf16 nhwc jit:avx2"
std::string name_of(const harness::Variant& variant);

/// Whether the library may use these instructions here (DNNL_MAX_CPU_ISA limits it).
bool has_instructions(dnnl::cpu_isa wanted);

}  // namespace benanza::onednn
