#include "analysis/profiles/onnxruntime/names.h"

namespace benanza::analysis::onnxruntime {
namespace {

bool remove_prefix(std::string& text, std::string_view prefix) {
  if (!std::string_view(text).starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

}  // namespace

bool remove_suffix(std::string& text, std::string_view suffix) {
  if (!std::string_view(text).ends_with(suffix) || text.size() == suffix.size()) return false;
  text.erase(text.size() - suffix.size());
  return true;
}

std::string origin_of(std::string name) {
  while (remove_prefix(name, "fused ")) {
  }
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
