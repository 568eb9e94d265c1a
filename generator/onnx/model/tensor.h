#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/problem/text.h"

namespace onnx {
class TensorProto;
}

namespace benanza::onnx {

/// Values of a small constant tensor, row-major: integers and booleans exactly, floating types as
/// doubles.
using Literal = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// Larger constants are known to be constant, but their values are not kept: weights.
constexpr std::int64_t max_literal_elements = std::int64_t{1} << 16;

/// As above, for stored tensors of floating and 8-bit types: those are weights even when small, and
/// no shape depends on more than a few of their values.
constexpr std::int64_t max_stored_reals = std::int64_t{1} << 12;

/// Tensors above this are taken for a mistake.
constexpr std::int64_t max_tensor_elements = std::int64_t{1} << 40;

/// Product of `dims`; empty if one is negative or the product exceeds max_tensor_elements.
std::optional<std::int64_t> checked_element_count(const Dims& dims);

/// The facts of a tensor that are known before the model runs.
struct Tensor {
  std::string name;
  /// ::onnx::TensorProto::DataType; 0 where unknown.
  int type = 0;
  std::optional<Dims> shape;
  /// Computed from constants and shapes alone.
  bool constant = false;
  std::optional<Literal> literal;
  /// The step of the program that makes it; empty for inputs and initializers.
  std::optional<std::size_t> producer = {};
  /// The first of Program::assumptions that its shape or its values may rest on.
  std::optional<std::size_t> assumption = {};
};

/// float, double, float16, bfloat16.
bool is_floating(int type);
/// ONNX name, "float"; "unknown" for 0.
std::string type_name(int type);
/// Size of an element; floating types counted as fp32. 0 for strings, types of less
/// than a byte and unknown types.
std::int64_t type_bytes(int type);

/// Whether the values of a stored tensor are worth keeping: small enough for its type.
bool keeps_values(int type, const Dims& dims);
/// Values of `tensor`; empty if it holds strings, refers to a file or does not keep its values.
/// Throws Error if data and shape disagree.
std::optional<Literal> read_literal(const ::onnx::TensorProto& tensor);
/// As read_literal, whatever the size.
std::optional<Literal> read_values(const ::onnx::TensorProto& tensor);
/// Empty for types that shape inference never reads (float16, complex, strings).
std::optional<::onnx::TensorProto> write_literal(const Literal& literal, int type,
                                                 const Dims& shape);

}  // namespace benanza::onnx
