#include "suites/nvidia/profiling/tensor_core_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace benanza::nvidia {
namespace {

constexpr std::array<std::string_view, 6> yes_words{"tensorop", "warpgroupsize", "hmma",
                                                    "imma",     "dmma",          "gmma"};
constexpr std::array<std::string_view, 5> no_words{"_ffma", "_simt_", "_scudnn", "icudnn",
                                                   "_cgemm"};

template <class Words>
bool contains_any(std::string_view name, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != name.npos; });
}

/// Removes leading digits from `text`. Returns false if there are none.
bool skip_digits(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  return text.size() < before;
}

bool skip(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Matches "tensor16x8x16" and similar.
bool has_tensor_shape(std::string_view name) {
  constexpr std::string_view word = "tensor";
  for (auto at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    std::string_view rest = name.substr(at + word.size());
    if (skip_digits(rest) && skip(rest, "x") && skip_digits(rest) && skip(rest, "x") &&
        skip_digits(rest)) {
      return true;
    }
  }
  return false;
}

/// Matches "s884gemm", "h1688cudnn", ...: a type, the shape of its matrix instruction, and the
/// operation.
bool has_instruction_shape(std::string_view name) {
  constexpr std::string_view types = "shicdz";
  for (std::size_t at = name.find_first_of(types); at != name.npos;
       at = name.find_first_of(types, at + 1)) {
    for (const std::string_view shape : {"884", "16816", "16832", "1688"}) {
      std::string_view rest = name.substr(at + 1);
      if (skip(rest, shape) && (skip(rest, "gemm") || skip(rest, "cudnn"))) return true;
    }
  }
  return false;
}

/// Matches "ampere_sgemm_...", "volta_fp16_sgemm_...", "sgemm_...".
bool is_plain_sgemm(std::string_view name) {
  constexpr std::string_view word = "sgemm";
  for (auto at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    if (at == 0 || name[at - 1] == '_') return true;
  }
  return false;
}

}  // namespace

std::optional<bool> uses_tensor_cores(std::string_view kernel_name) {
  if (contains_any(kernel_name, yes_words) || has_tensor_shape(kernel_name) ||
      has_instruction_shape(kernel_name) || kernel_name.substr(0, 6) == "nvjet_") {
    return true;
  }
  if (contains_any(kernel_name, no_words) || is_plain_sgemm(kernel_name)) return false;
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

}  // namespace benanza::nvidia
