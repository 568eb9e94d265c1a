#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
void register_random(OperatorTable& table) {
  for (const auto* op : {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
                         "Bernoulli", "Multinomial"}) {
    table.add(op, {.random = true,
                   .unsupported = "no library here makes the framework's random numbers"});
  }
}

}  // namespace benanza::onnx
