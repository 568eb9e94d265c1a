#include "cuda/tensor_core_names.h"

#include <regex>

namespace benanza {

std::optional<bool> uses_tensor_cores(std::string_view kernel_name) {
  // The shape of a matrix instruction, the libraries' words for it, or its type and shape.
  static const std::regex yes(
      "tensor[0-9]+x[0-9]+x[0-9]+|tensorop|warpgroupsize|"
      "[shicdz](884|1688|16816|16832)(gemm|cudnn)|hmma|imma|dmma|gmma|^nvjet_",
      std::regex::optimize);
  static const std::regex no("_ffma|_simt_|sgemm|_scudnn|icudnn|_cgemm", std::regex::optimize);
  const char* const begin = kernel_name.data();
  const char* const end = begin + kernel_name.size();
  if (std::regex_search(begin, end, yes)) return true;
  if (std::regex_search(begin, end, no)) return false;
  return std::nullopt;
}

std::optional<bool> any_uses_tensor_cores(const std::vector<std::string>& kernel_names) {
  bool all_known = !kernel_names.empty();
  for (const std::string& name : kernel_names) {
    const std::optional<bool> uses = uses_tensor_cores(name);
    if (uses == true) return true;
    all_known = all_known && uses.has_value();
  }
  if (!all_known) return std::nullopt;
  return false;
}

}  // namespace benanza
