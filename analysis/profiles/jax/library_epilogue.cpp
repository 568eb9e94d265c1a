#include "analysis/profiles/jax/library_epilogue.h"

#include <cstdlib>
#include <optional>

#include "core/base/text.h"

namespace benanza::analysis::jax {
namespace {

/// Of "name":value or "name":"value"; empty if absent.
std::string_view field_of(const Instruction& call, std::string_view name) {
  const std::string mark = '"' + std::string(name) + "\":";
  std::string_view value = text::between(call.attributes, mark, ",}");
  if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
  return value;
}

/// `absent` if the call does not state it.
float field_number(const Instruction& call, std::string_view name, float absent) {
  const std::string value(field_of(call, name));
  return value.empty() ? absent : std::strtof(value.c_str(), nullptr);
}

std::string stated(const Instruction& call, std::string_view name) {
  return std::string(name) + ' ' + std::string(field_of(call, name));
}

Activation function_of(ActivationKind kind, float alpha = 0, float beta = 0) {
  return Activation{.input = {}, .kind = kind, .alpha = alpha, .beta = beta};
}

/// By XLA's ActivationMode.
std::optional<Activation> convolution_function(const Instruction& call, std::string_view mode) {
  if (mode == "kRelu") return function_of(ActivationKind::relu);
  if (mode == "kRelu6") return function_of(ActivationKind::clip, 0, 6);
  if (mode == "kSigmoid") return function_of(ActivationKind::sigmoid);
  if (mode == "kTanh") return function_of(ActivationKind::tanh);
  if (mode == "kElu") return function_of(ActivationKind::elu, 1);
  if (mode == "kGeluExact") return function_of(ActivationKind::gelu);
  if (mode == "kLeakyRelu") {
    return function_of(ActivationKind::leaky_relu, field_number(call, "leakyrelu_alpha", 0));
  }
  return std::nullopt;
}

/// Operands: input, weights and, of the fused call only, one value per filter and an addend.
LibraryEpilogue of_convolution(const Instruction& call) {
  const bool is_fused = target_of(call) == "__cudnn$convBiasActivationForward";
  if (field_number(call, "conv_result_scale", 1) != 1) {
    return {.refusal = stated(call, "conv_result_scale")};
  }
  const std::string_view mode = field_of(call, "activation_mode");
  const auto function = convolution_function(call, mode);
  const bool has_none = mode == "kNone" || (mode.empty() && !is_fused);
  if (!has_none && (!function || !is_fused)) {
    return {.refusal = mode.empty() ? "calls of cuDNN without an activation_mode"
                                    : "the function " + std::string(mode)};
  }
  const std::size_t operands = call.operands.size();
  if (operands > (is_fused ? 4 : 2)) return {.refusal = "convolutions with further operands"};
  const bool adds = field_number(call, "side_input_scale", 0) != 0;
  if (adds && operands < 4) return {.refusal = "a side input that is no operand"};
  return {.epilogue = {.bias = operands > 2, .residual = adds, .activation = function}};
}

/// "BIAS_RELU"; with "beta": 1, the third operand is added.
LibraryEpilogue of_product(const Instruction& call) {
  const std::string_view text = field_of(call, "epilogue");
  Epilogue epilogue;
  std::string_view function = text;
  constexpr std::string_view bias = "BIAS";
  if (function.starts_with(bias)) {
    epilogue.bias = true;
    function.remove_prefix(bias.size());
    if (function.starts_with('_')) function.remove_prefix(1);
  }
  if (function == "RELU") {
    epilogue.activation = function_of(ActivationKind::relu);
  } else if (function == "GELU") {
    epilogue.activation = function_of(ActivationKind::gelu_tanh);
  } else if (!function.empty() && (epilogue.bias || function != "DEFAULT")) {
    return {.refusal = "the epilogue " + std::string(text)};
  }
  const float beta = field_number(call, "beta", 0);
  if (beta != 0 && beta != 1) return {.refusal = stated(call, "beta")};
  epilogue.residual = beta == 1;
  const std::size_t read = 2U + (epilogue.residual ? 1U : 0U) + (epilogue.bias ? 1U : 0U);
  if (call.operands.size() != read) return {.refusal = "calls of cuBLAS with other operands"};
  return {.epilogue = epilogue};
}

}  // namespace

std::string_view target_of(const Instruction& call) {
  return text::between(call.attributes, "custom_call_target=\"", "\"");
}

LibraryEpilogue library_epilogue(const Instruction& call) {
  const std::string_view target = target_of(call);
  for (const std::string_view known :
       {"__cudnn$convForward", "__cudnn$convBackwardInput", "__cudnn$convBackwardFilter",
        "__cudnn$convBiasActivationForward"}) {
    if (target == known) return of_convolution(call);
  }
  if (target == "__cublas$gemm" || target == "__cublas$lt$matmul") return of_product(call);
  return {.refusal = "calls of " + std::string(target)};
}

}  // namespace benanza::analysis::jax
