#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/problem/precision.h"

namespace benanza {

/// The purpose of a GPU kernel, other than the operator's own arithmetic (`work`).
enum class KernelRole {
  work,
  layout,   // reorders a tensor: NCHW to NHWC and back, a library's own transposes
  padding,  // copies a tensor into a larger one
  copy,
  cast,     // copies to another type
  fill,     // sets memory to one value
  combine,  // sums the parts of a product that was split along its reduction
};

/// Facts derived from a kernel's name. Empty if unknown: the libraries do not guarantee their
/// names.
struct KernelTraits {
  KernelRole role = KernelRole::work;
  /// Uses Tensor Core instructions. False for fp32 and integer pipelines that the name states.
  std::optional<bool> tensor_cores{};
  /// Precision of the products, if the name states it; tf32 for fp32 data rounded to TF32.
  std::optional<Precision> products{};
  /// Convolution algorithm, as the cudnn suite names it; "fft" also stands for fft_tiling, and
  /// "implicit_gemm" also for implicit_precomp_gemm, which names do not always distinguish. "gemm"
  /// for a plain product (a 1x1 convolution, or an explicit GEMM). Empty if unknown or not a
  /// convolution.
  std::string_view algorithm{};
};

/// Shortens a demangled name for display: drops the result type, parameters, anonymous namespaces
/// and lambdas. "void at::f<at::g_cuda(int)::{lambda(float)#1}>(int, float*)" becomes
/// "at::f<at::g_cuda>". Two kernels can have the same label. Names that are not functions are
/// returned as they are.
std::string kernel_label(std::string_view name);

/// True if the kernel is a framework's own, not a library's. `name`: demangled.
bool is_framework_kernel(std::string_view name);

/// True if the kernel belongs to cuDNN, cuBLAS or cuBLASLt. `name`: demangled.
bool is_library_kernel(std::string_view name);

/// `name`: demangled as by CUPTI, or mangled. The rules follow the names in cuDNN 9, cuBLAS 13 and
/// PyTorch 2; those for Tensor Cores have not been verified with hardware counters.
KernelTraits kernel_traits(std::string_view name);

/// Demangles a C++ function name ("_Z3addPf" becomes "add(float*)"; templates start with the result
/// type, "void add<float>(float*)") and removes the version suffix of a CUDA runtime call
/// ("cudaLaunchKernel_v7000", "cudaMemset_ptds_v7000"). All other names are unchanged, including
/// those of driver calls. Demangled names are truncated at 16384 bytes.
std::string readable_name(std::string_view name);

}  // namespace benanza
