#include "core/library/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace benanza {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// "_tensor16x8x8": the shape of one Tensor Core instruction.
bool states_instruction(std::string_view name) {
  constexpr std::string_view mark = "_tensor";
  for (auto at = name.find(mark); at != std::string_view::npos; at = name.find(mark, at + 1)) {
    const auto next = at + mark.size();
    if (next < name.size() && is_digit(name[next])) return true;
  }
  return false;
}

/// The letter before "1688gemm", "16816cudnn" and so on, which gives the type of the sum: s, h, i,
/// c, d or z; 0 if the name has no such part. `digits` is set to the instruction's shape.
char product_letter(std::string_view name, std::string_view& digits) {
  for (const std::string_view shape : {"16832", "16816", "1688", "884"}) {
    for (auto at = name.find(shape); at != std::string_view::npos; at = name.find(shape, at + 1)) {
      const std::string_view rest = name.substr(at + shape.size());
      const bool product = rest.starts_with("gemm") || rest.starts_with("cudnn") ||
                           rest.starts_with("fprop") || rest.starts_with("bf16gemm") ||
                           rest.starts_with("tf32gemm") || rest.starts_with("f16gemm");
      if (at == 0 || !product || !has("shicdz", name.substr(at - 1, 1))) continue;
      digits = shape;
      return name[at - 1];
    }
  }
  return 0;
}

std::optional<bool> tensor_cores(std::string_view name) {
  std::string_view digits;
  if (states_instruction(name) || product_letter(name, digits) != 0 ||
      has_any(name, {"tensorop", "warpgroupsize", "hmma", "imma", "dmma", "gmma"}) ||
      name.starts_with("nvjet_")) {
    return true;
  }
  // FlashAttention's and cuDNN's attention kernels exist only for Tensor Cores.
  if (has_any(name, {"flash_fwd", "native_sdpa_sm", "fmha_cutlassf_f16", "fmha_cutlassf_bf16"})) {
    return true;
  }
  if (has_any(name, {"_ffma", "_simt_", "sgemm", "scudnn", "icudnn", "_cgemm", "gemvx", "gemv2",
                     "gemvnsp", "implicit_convolve", "winograd", "fft2d", "conv_depthwise2d"})) {
    return false;
  }
  // PyTorch's own kernels: elementwise functions, reductions, normalizations, pooling. The few that
  // are products have "gemm" or "mma" in their names.
  if (name.find("at::native::") != std::string_view::npos && !has_any(name, {"gemm", "mma"})) {
    return false;
  }
  return std::nullopt;
}

/// The first letter of the types in "nvjet_hsh_..." or "nvjet_sm90_hsh_...": one per matrix, then
/// the sum's; h half, t bfloat16, s single. 0 if it is no such name.
char nvjet_letter(std::string_view name) {
  constexpr std::string_view mark = "nvjet_";
  if (!name.starts_with(mark)) return 0;
  name.remove_prefix(mark.size());
  if (name.starts_with("sm") && name.size() > 2 && is_digit(name[2])) {
    name.remove_prefix(std::min(name.size(), name.find('_') + 1));
  }
  return name.empty() ? '\0' : name.front();
}

std::optional<Precision> products(std::string_view name) {
  if (has(name, "tf32")) return Precision::tf32;
  if (has(name, "bf16")) return Precision::bf16;
  if (const char letter = nvjet_letter(name); letter != 0) {
    if (letter == 'h') return Precision::fp16;
    if (letter == 't') return Precision::bf16;
    if (letter == 's') return Precision::tf32;
    return std::nullopt;
  }
  if (has_any(name, {"f16f16", "_f16_", "fp16", "h16816", "hgemm", "cutlassf_f16"})) {
    return Precision::fp16;
  }
  std::string_view digits;
  const char letter = product_letter(name, digits);
  if (letter == 'i') return Precision::int8;
  // With fp32 sums, 16x8x8 instructions on sm80 multiply TF32; 16x8x16 ones need 16-bit operands.
  if (letter == 's' && digits == "1688" && has(name, "_80_")) return Precision::tf32;
  if (letter == 's' && digits == "16816") return Precision::fp16;
  if (letter == 'h') return Precision::fp16;
  if (has_any(name, {"_ffma", "_simt_sgemm", "scudnn", "convolve_sgemm", "_sgemm_"})) {
    return Precision::fp32;
  }
  return std::nullopt;
}

std::string_view algorithm(std::string_view name) {
  if (has(name, "winograd")) {
    // Either separate kernels transform the data, the filters and the result, or one does
    // everything.
    const bool separate = has_any(name, {"winogradforwarddata", "winogradforwardfilter",
                                         "winogradforwardoutput", "winograd_nonfused"});
    return separate ? "winograd_nonfused" : "winograd";
  }
  if (has_any(name, {"fft2d", "fft1d", "flip_filter", "compute_gemm_pointers"})) return "fft";
  if (has(name, "depthwise")) return "direct";
  if (has(name, "precomputed_convolve") || has(name, "scudnn")) return "implicit_precomp_gemm";
  if (has_any(name, {"implicit_convolve", "implicit_gemm", "implicitgemm", "fprop"})) {
    return "implicit_gemm";
  }
  if (has_any(name, {"explicit_convolve", "im2col", "gemm", "nvjet_"})) return "gemm";
  return {};
}

KernelRole role(std::string_view name) {
  if (has_any(name, {"addpadding", "constant_pad", "copy_with_pad", "padding_kernel"})) {
    return KernelRole::padding;
  }
  if (has_any(name, {"nchwtonhwc", "nhwctonchw", "nchw2nhwc", "nhwc2nchw", "tensortransform",
                     "transpose_readwrite", "kern_transform", "cudnn_transpose", "foldednhwc",
                     "ncdhwtondhwc", "ndhwctoncdhw"})) {
    return KernelRole::layout;
  }
  if (has_any(name, {"splitkreduce", "split_k_reduce", "splitk_reduce", "reducesplitk",
                     "execute_split_k_kernel"})) {
    return KernelRole::combine;
  }
  if (name.starts_with("memset") || has_any(name, {"fillfunctor", "fill_kernel"})) {
    return KernelRole::fill;
  }
  if (has_any(name, {"loadwithcast", "storewithcast", "float16_copy_kernel", "converttensor",
                     "bfloat16_copy_kernel", "convert_tensor"})) {
    return KernelRole::cast;
  }
  if (name.starts_with("memcpy") || has(name, "copy_kernel")) return KernelRole::copy;
  return KernelRole::work;
}

constexpr std::size_t longest_name = 1 << 14;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// "cudaLaunchKernel_v7000" becomes "cudaLaunchKernel".
std::string_view without_version(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t last = name.find_last_not_of(digits);
  const bool has_version = last != std::string_view::npos && last + 4 < name.size() && last > 0 &&
                           name.substr(last - 1, 2) == "_v";
  if (!has_version) return name;
  name = name.substr(0, last - 1);
  for (const std::string_view stream : {"_ptsz", "_ptds"}) {
    if (name.ends_with(stream)) name.remove_suffix(stream.size());
  }
  return name;
}

}  // namespace

std::string kernel_label(std::string_view name) {
  // "Memset (Device)" is not a function.
  const std::size_t open = name.find('(');
  const bool is_function =
      name.ends_with(')') && open != 0 && open != std::string_view::npos &&
      (name[open - 1] != ' ' || name.starts_with("void ") || name.find('<') < open);
  if (!is_function) return std::string(name);
  std::string text;
  int depth = 0;
  for (const char letter : name) {
    if (letter == '(' || letter == '{') ++depth;
    if (depth == 0) text += letter;
    if (letter == ')' || letter == '}') --depth;
  }
  if (depth != 0) return std::string(name);
  // Remove what remains of "(anonymous namespace)::" and "f()::{lambda()#1}::operator()() const".
  const auto replace = [&](std::string_view what, std::string_view with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), with);
    }
  };
  replace("::operator", "");
  replace(" const", "");
  replace("::::", "::");
  for (const auto& [what, with] :
       {std::pair{"<::", "<"}, {" ::", " "}, {"::,", ","}, {"::>", ">"}, {":: ", " "}}) {
    replace(what, with);
  }
  while (text.ends_with("::")) text.resize(text.size() - 2);
  if (text.starts_with("void ")) text.erase(0, 5);
  if (text.starts_with("::")) text.erase(0, 2);
  return text;
}

bool is_framework_kernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  constexpr std::array<std::string_view, 12> theirs{
      "at::",   "c10::", "at_cuda_detail::", "triton_",  "onnxruntime::",     "tensorflow::",
      "fusion", "loop_", "input_",           "wrapped_", "stream_executor::", "xla::"};
  return std::ranges::any_of(theirs,
                             [&](std::string_view word) { return name.starts_with(word); }) ||
         name.find("at::native::") != std::string_view::npos ||
         // XLA's, such as "gemm_fusion_dot".
         name.find("_fusion") != std::string_view::npos;
}

bool is_library_kernel(std::string_view name) {
  if (is_framework_kernel(name)) return false;
  const std::string text = text::lower_case(name);
  for (const std::string_view machine : {"ampere_", "turing_", "volta_", "maxwell_", "hopper_"}) {
    if (text.starts_with(machine)) return true;
  }
  return has_any(text, {"cudnn",
                        "cublas",
                        "cutlass",
                        "xmma",
                        "nvjet",
                        "cask_",
                        "sm80_",
                        "sm90_",
                        "sm100_",
                        "implicit_convolve",
                        "convolve_common_engine",
                        "winograd",
                        "gemmsn",
                        "gemmk1",
                        "gemv",
                        "sgemm",
                        "dgemm",
                        "6gemm",
                        "8gemm",
                        "splitkreduce",
                        "nchwtonhwc",
                        "nhwctonchw",
                        "nhwcaddpadding",
                        "im2col4d",
                        "fft2d_",
                        "flip_filter",
                        "conv2d_grouped_direct",
                        "dgrad",
                        "wgrad",
                        "bn_fw_",
                        "bn_bw_",
                        "pooling_fw",
                        "pooling_bw",
                        "op_tensor_kernel",
                        "tensortransform",
                        "elementwise_fp",
                        "blockpersist",
                        "reduce_1block"});
}

KernelTraits kernel_traits(std::string_view name) {
  const std::string text = text::lower_case(name);
  KernelTraits traits{.role = role(text)};
  if (traits.role != KernelRole::work) return traits;
  traits.tensor_cores = tensor_cores(text);
  traits.products = products(text);
  traits.algorithm = algorithm(text);
  return traits;
}

std::string readable_name(std::string_view name) {
  if (name.starts_with("cuda")) return std::string(without_version(name));
  if (!name.starts_with("_Z")) return std::string(name);
  std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  if (status != 0 || !text) return mangled;
  return std::string(std::string_view(text.get()).substr(0, longest_name));
}

}  // namespace benanza
