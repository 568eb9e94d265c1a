#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// The values of constants, also of those that are too large to be kept: read from the model or
/// computed when asked for. Both arguments must outlive it.
class ConstantValues {
 public:
  ConstantValues(const Program& program, const OperatorTable& operators)
      : program_(program), operators_(operators) {}

  /// Null if the values are not in the model, are more than a mask has, or cost too much to
  /// compute. Valid until forget().
  const Literal* of(const Value& value);
  void forget() { computed_.clear(); }

 private:
  std::optional<Literal> compute(const Value& value);
  std::optional<Literal> folded(const Value& value);
  bool is_affordable(const Value& value);

  const Program& program_;
  const OperatorTable& operators_;
  std::map<const Value*, std::optional<Literal>> computed_;
  std::int64_t evaluated_ = 0;
  int depth_ = 0;
};

}  // namespace benanza::onnx
