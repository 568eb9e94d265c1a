#include "core/library/framework_kernel.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/library/kernel_name.h"

namespace benanza {
namespace {

struct NamedOperation {
  std::string_view word;
  std::string_view operation;
};

/// PyTorch 2's kernels by words of their names; the first that fits counts. Reductions and pooling
/// come before the functions that their names contain.
constexpr std::array operations{NamedOperation{"CatArrayBatchedCopy", "cat"},
                                NamedOperation{"softmax", "softmax"},
                                NamedOperation{"SoftMax", "softmax"},
                                NamedOperation{"layer_norm", "layer norm"},
                                NamedOperation{"rms_norm", "rms norm"},
                                NamedOperation{"batch_norm", "batch norm"},
                                NamedOperation{"GroupNorm", "group norm"},
                                NamedOperation{"max_pool", "max pool"},
                                NamedOperation{"avg_pool", "average pool"},
                                NamedOperation{"upsample", "upsample"},
                                NamedOperation{"MeanOps", "mean"},
                                NamedOperation{"ArgMaxOps", "argmax"},
                                NamedOperation{"ArgMinOps", "argmin"},
                                NamedOperation{"WelfordOps", "variance"},
                                NamedOperation{"NormTwoOps", "norm"},
                                NamedOperation{"sum_functor", "sum"},
                                NamedOperation{"MaxNanFunctor", "max"},
                                NamedOperation{"MinNanFunctor", "min"},
                                NamedOperation{"multi_tensor_apply", "optimizer"},
                                NamedOperation{"index_elementwise", "index"},
                                NamedOperation{"gather_kernel", "gather"},
                                NamedOperation{"scatter", "scatter"},
                                NamedOperation{"indexSelect", "index"},
                                NamedOperation{"embedding", "embedding"},
                                NamedOperation{"distribution_", "random"},
                                NamedOperation{"dropout", "dropout"},
                                NamedOperation{"triu_tril", "triangle"},
                                NamedOperation{"pow_tensor", "pow"},
                                NamedOperation{"rsqrt", "rsqrt"},
                                NamedOperation{"sqrt_kernel", "sqrt"},
                                NamedOperation{"reciprocal", "reciprocal"},
                                NamedOperation{"neg_kernel", "neg"},
                                NamedOperation{"silu", "silu"},
                                NamedOperation{"Gelu", "gelu"},
                                NamedOperation{"gelu", "gelu"},
                                NamedOperation{"sigmoid", "sigmoid"},
                                NamedOperation{"tanh", "tanh"},
                                NamedOperation{"cos_kernel", "cos"},
                                NamedOperation{"sin_kernel", "sin"},
                                NamedOperation{"exp_kernel", "exp"},
                                NamedOperation{"log_kernel", "log"},
                                NamedOperation{"clamp", "clamp"},
                                NamedOperation{"relu", "relu"},
                                NamedOperation{"where_kernel", "where"},
                                NamedOperation{"MulFunctor", "mul"},
                                NamedOperation{"DivFunctor", "div"},
                                NamedOperation{"CUDAFunctor_add", "add"},
                                NamedOperation{"CUDAFunctorOnSelf_add", "add"},
                                NamedOperation{"CUDAFunctorOnOther_add", "add"},
                                NamedOperation{"AddFunctor", "add"},
                                NamedOperation{"ompareFunctor", "compare"},
                                NamedOperation{"CompareEq", "compare"},
                                NamedOperation{"Bitwise", "logic"},
                                NamedOperation{"FillFunctor", "fill"},
                                NamedOperation{"arange", "arange"},
                                NamedOperation{"copy_kernel", "copy"},
                                NamedOperation{"LoadWithCast", "copy"}};

/// Without a number behind the last separator.
std::string_view without_number(std::string_view name, char separator) {
  const std::size_t last = name.rfind(separator);
  if (last == std::string_view::npos || last + 1 == name.size()) return name;
  const bool is_number =
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(last) + 1, name.end(),
                  [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return is_number ? name.substr(0, last) : name;
}

/// Without the underscores that begin names of operators ("_to_copy").
std::string words_of(std::string_view name) {
  std::string words;
  for (const char letter : name) {
    if (letter != '_') {
      words += letter;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

}  // namespace

std::string framework_operation(std::string_view name) {
  constexpr std::string_view fused = "_fused_";
  if (name.starts_with("triton_")) {
    const std::size_t at = name.find(fused);
    if (at != std::string_view::npos) name.remove_prefix(at + fused.size());
    return words_of(without_number(name, '_'));
  }
  for (const NamedOperation& one : operations) {
    if (name.find(one.word) != std::string_view::npos) return std::string(one.operation);
  }
  if (name.find("fusion") != std::string_view::npos) {
    return words_of(without_number(without_number(name, '_'), '.'));
  }
  return kernel_label(name);
}

}  // namespace benanza
