#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// Demangles a C++ function name ("_Z3addPf" becomes "add(float*)"; templates start with the result
/// type, "void add<float>(float*)") and removes the version suffix of a CUDA runtime call
/// ("cudaLaunchKernel_v7000", "cudaMemset_ptds_v7000"). All other names are unchanged, including
/// those of driver calls. Demangled names are truncated at 16384 bytes.
std::string readable_name(std::string_view name);

}  // namespace benanza
