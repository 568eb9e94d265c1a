#include "analysis/profiles/jax/arithmetic.h"

#include <algorithm>
#include <vector>

#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"

namespace benanza::analysis::jax {
namespace {

using text::between;

/// Those that the readers of products read, and those that do not change the work.
constexpr std::string_view known_attributes[] = {"lhs_batch_dims",
                                                 "lhs_contracting_dims",
                                                 "rhs_batch_dims",
                                                 "rhs_contracting_dims",
                                                 "operand_precision",
                                                 "algorithm",
                                                 "window",
                                                 "dim_labels",
                                                 "feature_group_count",
                                                 "batch_group_count",
                                                 "custom_call_target",
                                                 "backend_config",
                                                 "metadata",
                                                 "frontend_attributes",
                                                 "sharding",
                                                 "control-predecessors",
                                                 "origin",
                                                 "original_value",
                                                 "statistics",
                                                 "padding_type",
                                                 "output_to_operand_aliasing",
                                                 "operand_layout_constraints",
                                                 "api_version",
                                                 "custom_call_has_side_effect",
                                                 "schedule"};

/// "dot_bf16_bf16_f32", of a dot or in a library's settings; empty if it is the default.
std::string algorithm_of(const Instruction& call) {
  std::string name(between(call.attributes, " algorithm=", ", "));
  if (name.empty()) name = text::lower_case(between(call.attributes, "\"algorithm\":\"", "\""));
  constexpr std::string_view prefix = "alg_";
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name == "unset" ? "" : name;
}

/// "highest,highest", of an instruction or in a library's settings.
std::string operand_precision(const Instruction& call) {
  std::string_view value = between(call.attributes, "operand_precision={", "}");
  if (value.empty()) value = between(call.attributes, "\"operand_precision\":[", "]");
  return text::lower_case(value);
}

/// Of four bits, too.
bool is_packed(std::string_view type) {
  return type == "s8" || type == "u8" || type == "s4" || type == "u4" || type == "s2" ||
         type == "u2" || type.starts_with("f8") || type.starts_with("f4");
}

}  // namespace

std::optional<Precision> precision_of_type(std::string_view type) {
  if (type == "f32") return Precision::fp32;
  if (type == "f16") return Precision::fp16;
  return type == "bf16" ? std::optional(Precision::bf16) : std::nullopt;
}

bool is_short_float(std::string_view type) { return precision_of_type(type).has_value(); }

std::set<std::string> possible_precisions(const Instruction& call, std::string_view type) {
  const std::string algorithm = algorithm_of(call);
  const auto runs_at = [&](std::string_view usual, const char* precision) {
    const bool is_known = algorithm.empty() || algorithm == usual;
    return is_known ? std::set<std::string>{precision} : std::set<std::string>();
  };
  if (type == "f16") return runs_at("dot_f16_f16_f32", "fp16");
  if (type == "bf16") return runs_at("dot_bf16_bf16_f32", "bf16");
  // Only told: no suite measures it.
  if (type == "f64") return {"fp64"};
  if (type != "f32") return {};
  if (algorithm == "dot_tf32_tf32_f32") return {"tf32"};
  // On a GPU, other precisions of the operands allow TF32.
  const bool is_exact = operand_precision(call).find("highest") != std::string::npos;
  if (algorithm.empty() && !is_exact) return {"fp32", "tf32"};
  return runs_at("dot_f32_f32_f32", "fp32");
}

std::string arithmetic_refusal(const Instruction& call, const Instruction& a,
                               const Instruction& b) {
  std::string what = "products of " + a.type;
  if (a.type != b.type) return what + " and " + b.type;
  const bool is_told = is_short_float(a.type) && (call.type == a.type || call.type == "f32");
  if (!is_told) return call.type == a.type ? what : what + " with results of " + call.type;
  if (possible_precisions(call, a.type).empty()) return what + " by " + algorithm_of(call);
  if (const std::string precision = operand_precision(call);
      precision.find("packed") != std::string::npos) {
    return what + " at " + precision;
  }
  for (const std::string_view name : attribute_names(call.attributes)) {
    if (std::ranges::find(known_attributes, name) == std::end(known_attributes)) {
      return "products with the attribute " + std::string(name);
    }
  }
  return "";
}

std::string unpacking_refusal(const Program& program, const Instruction& operand) {
  // Each value is looked at once. A parameter's operand is its number.
  std::set<const Instruction*> seen{&operand};
  std::vector<const Instruction*> left{&operand};
  while (!left.empty()) {
    const Instruction* const value = left.back();
    left.pop_back();
    if (is_packed(value->type)) return "products of unpacked " + value->type;
    for (const std::string& name : value->operands) {
      const Instruction* const read = program.find(name);
      if (read != nullptr && seen.insert(read).second) left.push_back(read);
    }
  }
  return "";
}

}  // namespace benanza::analysis::jax
