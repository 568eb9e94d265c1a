#pragma once

#include <map>
#include <optional>

#include "generator/onnx/constant_values.h"

namespace benanza::onnx {

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
