#include "generator/onnx/only_integer.h"

#include <algorithm>
#include <string>
#include <vector>

namespace benanza::onnx {
namespace {

constexpr int bits_of_byte = 8;

std::optional<std::int64_t> only_element(const std::vector<std::int64_t>& values) {
  const bool all =
      std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); });
  return !values.empty() && all ? std::optional(values.front()) : std::nullopt;
}

/// The bytes of a tensor of at most 8 bits per element.
std::string bytes_of(const ::onnx::TensorProto& tensor) {
  if (!tensor.raw_data().empty()) return tensor.raw_data();
  std::string bytes;
  for (const std::int32_t element : tensor.int32_data()) {
    bytes.push_back(static_cast<char>(element));
  }
  return bytes;
}

/// Element `index` of `bits` bits, the first ones lowest in a byte.
std::int64_t element(const std::string& bytes, std::int64_t index, int bits, bool is_signed) {
  const std::int64_t each = bits_of_byte / bits;
  const auto whole = static_cast<unsigned char>(bytes[static_cast<std::size_t>(index / each)]);
  const int range = 1 << bits;
  const int value = whole >> (index % each * bits) & (range - 1);
  return is_signed && value >= range / 2 ? value - range : value;
}

}  // namespace

std::optional<std::int64_t> only_integer(const Value& value) {
  if (value.literal) {
    const auto* values = std::get_if<std::vector<std::int64_t>>(&*value.literal);
    return values == nullptr ? std::nullopt : only_element(*values);
  }
  const int bits = type_bits(value.type);
  const std::string name = type_name(value.type);
  const bool is_signed = name.starts_with("int");
  if (value.stored == nullptr || !value.shape || bits < 1 || bits > bits_of_byte)
    return std::nullopt;
  if (!is_signed && !name.starts_with("uint")) return std::nullopt;
  const std::string bytes = bytes_of(*value.stored);
  // Of large tensors, one byte that stands for all of them is kept.
  const bool is_left_out = value.stored->data_location() == ::onnx::TensorProto::EXTERNAL;
  const std::int64_t count = is_left_out ? bits_of_byte / bits : element_count(*value.shape);
  if (count < 1 || std::ssize(bytes) < (count * bits + bits_of_byte - 1) / bits_of_byte)
    return std::nullopt;
  const std::int64_t first = element(bytes, 0, bits, is_signed);
  for (std::int64_t index = 1; index < count; ++index) {
    if (element(bytes, index, bits, is_signed) != first) return std::nullopt;
  }
  return first;
}

}  // namespace benanza::onnx
