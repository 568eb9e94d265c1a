#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/problem/precision.h"

namespace benanza {

/// The purpose of a GPU kernel, beside the operator's own arithmetic (`work`).
enum class KernelRole {
  work,
  layout,   // reorders a tensor: NCHW to NHWC and back, a library's own transposes
  padding,  // copies a tensor into a larger one
  copy,
  cast,     // copies to another type
  fill,     // sets memory to one value
  combine,  // adds up the parts of a product that was split along its reduction
};

/// Facts that a kernel's name tells. Unknown stays empty: names are no contract of the libraries.
struct KernelTraits {
  KernelRole role = KernelRole::work;
  /// Tensor Core instructions. No for fp32 and integer pipelines that the name states.
  std::optional<bool> tensor_cores{};
  /// Precision of the products, where the name states it; tf32 for fp32 data rounded to TF32.
  std::optional<Precision> products{};
  /// Convolution algorithm, as the cudnn suite names it; "fft" stands for fft and fft_tiling, and
  /// "implicit_gemm" also for implicit_precomp_gemm, which names do not always separate. "gemm" for
  /// a plain product (a 1x1 convolution, or an explicit GEMM). Empty if unknown or no convolution.
  std::string_view algorithm{};
};

/// A demangled name for people: without the result's type, parameters, anonymous namespaces and
/// lambdas. "at::f<at::g_cuda>" of "void at::f<at::g_cuda(int)::{lambda(float)#1}>(int, float*)".
/// Two kernels can have one label. Other names stay.
std::string kernel_label(std::string_view name);

/// Is it a framework's own, and no library's? From its name, demangled.
bool is_framework_kernel(std::string_view name);

/// Is it one of cuDNN's, cuBLAS' or cuBLASLt's? From its name, demangled.
bool is_library_kernel(std::string_view name);

/// `name`: as CUPTI demangles it, or mangled. Rules: the names in cuDNN 9, cuBLAS 13 and PyTorch 2;
/// those for Tensor Cores have not been held against hardware counters.
KernelTraits kernel_traits(std::string_view name);

}  // namespace benanza
