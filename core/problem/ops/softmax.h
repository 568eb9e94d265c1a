#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// e^x / sum(e^x) along one axis, or its logarithm; the two are never substituted for each other.
/// Keys: softmax/8x1000_a1, logsoftmax/8x1000_a1
struct Softmax {
  Dims input;
  std::int64_t axis = 0;
  bool logarithm = false;

  bool operator==(const Softmax&) const = default;

  static bool owns(std::string_view op) { return op == "softmax" || op == "logsoftmax"; }
  std::string_view op() const { return logarithm ? "logsoftmax" : "softmax"; }
  void map(KeyFields& fields) {
    if (const KeyReader* reader = fields.reader()) logarithm = reader->op() == "logsoftmax";
    fields.dims("", input).integer("a", axis);
    fields.require(axis >= 0 && axis < static_cast<std::int64_t>(input.size()),
                   "an axis of the input");
  }

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// Maximum, subtraction, exponential, sum, division: five per element.
  double flops() const { return 5.0 * static_cast<double>(element_count(input)); }
  std::int64_t reduction_length() const { return input[static_cast<std::size_t>(axis)]; }
};

}  // namespace benanza
