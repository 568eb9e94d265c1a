#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "generator/lowered/lowered.h"
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

/// Removes from an operator of attention the sums with masks that hide nothing (Read), and its work
/// of them.
void drop_idle_masks(LoweredLayer& layer);

/// What the constants of a program are if they are masks. Both arguments must outlive it.
class Masks {
 public:
  Masks(const Program& program, const OperatorTable& operators)
      : program_(program), values_(program, operators) {}

  /// Read::triangle of a tensor that `step` reads; empty if the step masks nothing.
  std::optional<Triangle> triangle(const Step& step, const Value& value);
  /// Read::hides_nothing of input `index` of `step`: what it adds is zero, or, as a truth value or
  /// a number of a mask, true. A stored tensor of zeros for each head is taken for a bias.
  bool hides_nothing(const Step& step, std::size_t index, const Value& value);
  /// Read::largest of a tensor that `step` reads.
  std::optional<double> largest(const Step& step, const Value& value);
  /// Read::learned.
  bool is_learned(const Value& value);

 private:
  const Program& program_;
  ConstantValues values_;
  std::map<const Value*, std::optional<Triangle>> triangles_;
  std::map<const Value*, bool> hides_nothing_;
  std::map<const Value*, std::optional<double>> largest_;
  std::map<const Value*, bool> learned_;
};

}  // namespace benanza::onnx
