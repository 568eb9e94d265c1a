#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// As people write it: a C++ function's name demangled ("_Z3addPf" is "add(float*)", which of a
/// template begins with its result's type, "void add<float>(float*)"), and a call of the CUDA
/// runtime without the version that it came with ("cudaLaunchKernel_v7000",
/// "cudaMemset_ptds_v7000"). What is neither stays as it is; names of the driver's calls are as its
/// header has them. A demangled name is cut at 16384 bytes.
std::string readable_name(std::string_view name);

}  // namespace benanza
