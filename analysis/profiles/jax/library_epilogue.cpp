#include "analysis/profiles/jax/library_epilogue.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

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

float number(const Instruction& call, std::string_view name) {
  return std::strtof(std::string(field_of(call, name)).c_str(), nullptr);
}

/// XLA's ActivationMode.
std::optional<Activation> convolution_function(const Instruction& call) {
  const std::string_view mode = field_of(call, "activation_mode");
  const auto function = [](ActivationKind kind, float alpha = 0, float beta = 0) {
    return Activation{.input = {}, .kind = kind, .alpha = alpha, .beta = beta};
  };
  if (mode == "kRelu") return function(ActivationKind::relu);
  if (mode == "kRelu6") return function(ActivationKind::clip, 0, 6);
  if (mode == "kSigmoid") return function(ActivationKind::sigmoid);
  if (mode == "kTanh") return function(ActivationKind::tanh);
  if (mode == "kElu") return function(ActivationKind::elu, 1);
  if (mode == "kLeakyRelu") {
    return function(ActivationKind::leaky_relu, number(call, "leakyrelu_alpha"));
  }
  return std::nullopt;
}

/// Operands: input, weights, one value per filter, and an addend.
Epilogue of_convolution(const Instruction& call) {
  return {.bias = call.operands.size() > 2,
          .residual = call.operands.size() > 3 && number(call, "side_input_scale") == 1,
          .activation = convolution_function(call)};
}

/// "BIAS_RELU"; with "beta": 1, the third operand is added.
Epilogue of_product(const Instruction& call) {
  const std::string_view text = field_of(call, "epilogue");
  Epilogue epilogue{.bias = text.find("BIAS") != text.npos,
                    .residual = call.operands.size() > 2 && number(call, "beta") == 1};
  if (text.find("RELU") != text.npos) {
    epilogue.activation = Activation{.input = {}, .kind = ActivationKind::relu};
  } else if (text.find("GELU") != text.npos) {
    epilogue.activation = Activation{.input = {}, .kind = ActivationKind::gelu_tanh};
  }
  return epilogue;
}

}  // namespace

Epilogue library_epilogue(const Instruction& call) {
  const std::string_view target = text::between(call.attributes, "custom_call_target=\"", "\"");
  if (target == "__cudnn$convBiasActivationForward") return of_convolution(call);
  if (target.starts_with("__cublas$lt$matmul")) return of_product(call);
  return {};
}

}  // namespace benanza::analysis::jax
