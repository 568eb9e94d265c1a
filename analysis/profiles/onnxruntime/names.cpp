#include "analysis/profiles/onnxruntime/names.h"

namespace benanza::analysis::onnxruntime {
namespace {

bool remove_prefix(std::string& text, std::string_view prefix) {
  if (!std::string_view(text).starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

/// A node whose name was taken has a number at its end: "r_nchwc_token_7".
void remove_unique_part(std::string& name) {
  constexpr std::string_view word = "_nchwc_token_";
  const auto at = name.rfind(word);
  if (at == name.npos || at == 0) return;
  const std::string_view number = std::string_view(name).substr(at + word.size());
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return;
  name.erase(at);
}

}  // namespace

bool remove_suffix(std::string& text, std::string_view suffix) {
  if (!std::string_view(text).ends_with(suffix) || text.size() == suffix.size()) return false;
  text.erase(text.size() - suffix.size());
  return true;
}

std::string replaced_tensor(const std::string& name) {
  std::string tensor = origin_of(name);
  const bool is_blocked = tensor.size() < name.size();
  if (is_blocked && (remove_suffix(tensor, "_bn") || remove_suffix(tensor, "_mul"))) return tensor;
  return "";
}

std::string origin_of(std::string name) {
  while (remove_prefix(name, "fused ")) {
  }
  remove_unique_part(name);
  while (remove_suffix(name, "_nchwc") || remove_suffix(name, "_nhwc") ||
         remove_suffix(name, "/MatMulAddFusion")) {
  }
  return name;
}

bool does_activation(std::string_view name) { return name.starts_with("fused "); }

bool does_next(std::string_view name) {
  return does_activation(name) || name.find("/MatMulAddFusion") != name.npos;
}

std::string onnx_op(std::string op) {
  remove_prefix(op, "Fused");
  remove_prefix(op, "Nhwc");
  return op;
}

}  // namespace benanza::analysis::onnxruntime
