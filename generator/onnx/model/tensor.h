#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/problem/text.h"

namespace onnx {
class TensorProto;
}

namespace benanza::onnx {

/// Values of a small constant tensor, row-major: integers and booleans exactly, floating-point
/// types as doubles.
using Literal = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// Larger constants (weights) are known to be constant, but their values are not kept.
constexpr std::int64_t max_literal_elements = std::int64_t{1} << 16;

/// The same limit for stored tensors of floating-point and 8-bit integer types: they are weights
/// even if small, and no shape depends on more than a few of their values.
constexpr std::int64_t max_stored_reals = std::int64_t{1} << 12;

/// Tensors of two different values (masks) keep them up to this many bytes.
constexpr std::int64_t max_mask_bytes = std::int64_t{1} << 24;

/// And as long as a model's masks together have no more bytes than this.
constexpr std::int64_t max_bytes_of_masks = std::int64_t{1} << 28;

/// Larger tensors are taken for a mistake.
constexpr std::int64_t max_tensor_elements = std::int64_t{1} << 40;

/// Product of `dims`; empty if one is negative or the product exceeds max_tensor_elements.
std::optional<std::int64_t> checked_element_count(const Dims& dims);

/// What is known about a tensor before the model runs.
struct Tensor {
  std::string name;
  /// ::onnx::TensorProto::DataType; 0 if unknown.
  int type = 0;
  std::optional<Dims> shape;
  /// Computed from constants and shapes alone.
  bool constant = false;
  std::optional<Literal> literal;
  /// Index of the step that produces it; empty for graph inputs and initializers.
  std::optional<std::size_t> producer = {};
  /// Index of the first of Program::assumptions that its shape or values may depend on.
  std::optional<std::size_t> assumption = {};
};

/// Whether `type` is float, double, float16 or bfloat16.
bool is_floating(int type);
/// Whether conversions of quantized tensors read and write floats of this type: which of their 8
/// bits are the exponent changes no size. Not those of powers of two alone.
bool is_float_of_8_bits(int type);
/// ONNX name in lower case, such as "float"; "unknown" for 0 and for unknown types.
std::string type_name(int type);
/// Bits per stored element; 0 for strings and unknown types.
int type_bits(int type);
/// Bytes per element, counting the types of is_floating() as fp32. 0 for strings, unknown types and
/// types smaller than a byte.
std::int64_t type_bytes(int type);

/// Whether the values of a stored tensor are kept: it is small enough for its type.
bool keeps_values(int type, const Dims& dims);
/// Whether `bytes`, the elements of a tensor of two axes or more one after the other, look like a
/// mask: they hold two different values. Reads no more of them than it takes to tell.
bool is_mask(std::string_view bytes, const Dims& dims);
/// Values of `tensor`; empty if they are strings or of another type that is not read, are stored in
/// another file, or are not kept. Throws Error if data and shape disagree.
std::optional<Literal> read_literal(const ::onnx::TensorProto& tensor);
/// As read_literal(), whatever the size.
std::optional<Literal> read_values(const ::onnx::TensorProto& tensor);
/// Empty for types that shape inference never reads (float16, complex, strings).
std::optional<::onnx::TensorProto> write_literal(const Literal& literal, int type,
                                                 const Dims& shape);

}  // namespace benanza::onnx
