#include "core/problem/epilogue.h"

namespace benanza {

void Epilogue::write(KeyWriter& writer) const {
  if (bias) writer.word("bias");
  if (residual) writer.word("residual");
  if (activation) activation->write_function(writer);
  for (const Step& step : steps) benanza::write(step, writer);
}

Epilogue Epilogue::read(KeyReader& reader, bool of_product) {
  Epilogue epilogue;
  if (of_product) {
    epilogue.bias = reader.accept("bias");
    epilogue.residual = reader.accept("residual");
  }
  epilogue.steps = read_steps(reader);
  return epilogue;
}

std::vector<Operand> Epilogue::step_operands() const {
  std::vector<Operand> operands;
  for (const Step& step : steps) {
    const auto* combine = std::get_if<Combine>(&step);
    if (combine == nullptr) continue;
    const bool divides = combine->kind == CombineKind::div && !combine->reversed;
    operands.push_back({.name = "y",
                        .dims = combine->y,
                        .role = combine->constant ? Role::weights : Role::data,
                        .domain = divides ? Domain::positive : Domain::any});
  }
  return operands;
}

Epilogue canonical(Epilogue epilogue, const Dims& output, const Dims& bias_extents) {
  while (!epilogue.activation && !epilogue.steps.empty()) {
    const Step& first = epilogue.steps.front();
    const auto* function = std::get_if<Activation>(&first);
    const auto* combine = std::get_if<Combine>(&first);
    const bool adds = combine != nullptr && combine->kind == CombineKind::add;
    if (function != nullptr && is_epilogue(function->kind)) {
      epilogue.activation = *function;
    } else if (adds && !epilogue.bias && combine->constant && combine->y == bias_extents) {
      epilogue.bias = true;
    } else if (adds && !epilogue.residual && !combine->constant && combine->y == output) {
      epilogue.residual = true;
    } else {
      break;
    }
    epilogue.steps.erase(epilogue.steps.begin());
  }
  return epilogue;
}

bool is_epilogue(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
    case ActivationKind::clip:
    case ActivationKind::elu:
    case ActivationKind::sigmoid:
    case ActivationKind::tanh:
    case ActivationKind::gelu:
    case ActivationKind::gelu_tanh:
    case ActivationKind::hard_swish:
    case ActivationKind::swish:
    case ActivationKind::mish:
      return true;
    default:
      return false;
  }
}

}  // namespace benanza
