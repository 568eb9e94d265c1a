#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// The name under which the suites build the algorithm that a library's log calls `logged`:
/// "residual.engine62.k13=1.k14=2" of "residual.engine 62 TILEK=1 STAGES=2", "gemm_ex" of
/// "CUBLAS_GEMM_DEFAULT(-1)"; names of cuDNN's older interface stay. Empty if the log does not tell
/// enough (cuBLASLt's "algorithm 66").
std::string suite_algorithm(std::string_view logged);

/// Returns true if a library's log calls `logged` what the suites call `suite`. "engine 62 TILEK=1
/// STAGES=2" is "engine62.k13=1.k14=2" with its settings in any order and whatever the prefixes are
/// ("winograd."); "CUBLAS_GEMM_DEFAULT(-1)" is "gemm_ex"; names of the older interface are equal.
/// False for cuBLASLt, which logs too little of its configurations.
bool is_same_algorithm(std::string_view logged, std::string_view suite);

/// True if an implementation's name says that it is a library's reference code, which nobody has
/// made fast: one of its words is "ref", as in "ref:any", "ref_int8:any", "ocl:ref:any".
bool is_reference_code(std::string_view implementation);

}  // namespace benanza
