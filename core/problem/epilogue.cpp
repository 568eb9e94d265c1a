#include "core/problem/epilogue.h"

namespace benanza {

void Epilogue::write(KeyWriter& writer) const {
  if (bias) writer.word("bias");
  if (residual) writer.word("residual");
  if (activation) activation->write_function(writer);
}

Epilogue Epilogue::read(KeyReader& reader) {
  Epilogue epilogue;
  epilogue.bias = reader.accept("bias");
  epilogue.residual = reader.accept("residual");
  if (reader.at_end()) return epilogue;
  epilogue.activation = Activation::read_function(reader);
  if (epilogue.activation && !is_epilogue(epilogue.activation->kind)) {
    reader.fail("a function that follows products");
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
