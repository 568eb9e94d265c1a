#include "generator/onnx/model/tensor.h"

#include <onnx/onnx_pb.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double bfloat_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Reads raw_data (little-endian) if present, otherwise the repeated `field`.
template <class Stored, class Value, class Field, class Convert>
std::vector<Value> read_elements(const TensorProto& tensor, const Field& field, Convert convert) {
  std::vector<Value> values;
  if (tensor.has_raw_data()) {
    const std::string& raw = tensor.raw_data();
    values.reserve(raw.size() / sizeof(Stored));
    for (std::size_t at = 0; at + sizeof(Stored) <= raw.size(); at += sizeof(Stored)) {
      Stored stored;
      std::memcpy(&stored, raw.data() + at, sizeof stored);
      values.push_back(static_cast<Value>(convert(stored)));
    }
  } else {
    values.reserve(static_cast<std::size_t>(field.size()));
    for (const auto stored : field) {
      values.push_back(static_cast<Value>(convert(static_cast<Stored>(stored))));
    }
  }
  return values;
}

template <class Stored, class Field>
Literal integers(const TensorProto& tensor, const Field& field) {
  return read_elements<Stored, std::int64_t>(tensor, field, [](Stored value) { return value; });
}

template <class Stored, class Field>
Literal reals(const TensorProto& tensor, const Field& field) {
  return read_elements<Stored, double>(tensor, field, [](Stored value) { return value; });
}

Dims extents(const TensorProto& tensor) {
  Dims dims;
  for (const std::int64_t extent : tensor.dims()) dims.push_back(extent);
  return dims;
}

std::optional<Literal> read_typed(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return reals<float>(tensor, tensor.float_data());
    case TensorProto::DOUBLE:
      return reals<double>(tensor, tensor.double_data());
    case TensorProto::FLOAT16:
      return read_elements<std::uint16_t, double>(tensor, tensor.int32_data(), half_value);
    case TensorProto::BFLOAT16:
      return read_elements<std::uint16_t, double>(tensor, tensor.int32_data(), bfloat_value);
    case TensorProto::INT64:
      return integers<std::int64_t>(tensor, tensor.int64_data());
    case TensorProto::INT32:
      return integers<std::int32_t>(tensor, tensor.int32_data());
    case TensorProto::INT16:
      return integers<std::int16_t>(tensor, tensor.int32_data());
    case TensorProto::INT8:
      return integers<std::int8_t>(tensor, tensor.int32_data());
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return integers<std::uint8_t>(tensor, tensor.int32_data());
    case TensorProto::UINT16:
      return integers<std::uint16_t>(tensor, tensor.int32_data());
    case TensorProto::UINT32:
      return integers<std::uint32_t>(tensor, tensor.uint64_data());
    case TensorProto::UINT64:
      return integers<std::uint64_t>(tensor, tensor.uint64_data());
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> checked_element_count(const Dims& dims) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : dims) {
    if (extent < 0 || extent > max_tensor_elements) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else if (count > max_tensor_elements / extent) {
      return std::nullopt;
    } else {
      count *= extent;
    }
  }
  return empty ? 0 : count;
}

bool is_floating(int type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
         type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
}

namespace {

/// Types that the installed onnx package lacks, by number from 17 (opset 19).
constexpr std::array<std::string_view, 10> newer_types{
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",
    "int4",         "float4e2m1",     "float8e8m0", "uint2",          "int2"};
constexpr int first_newer_type = 17;

std::string_view newer_name(int type) {
  if (type < first_newer_type || type >= first_newer_type + std::ssize(newer_types)) return {};
  return newer_types[static_cast<std::size_t>(type - first_newer_type)];
}

}  // namespace

bool is_float_of_8_bits(int type) {
  const std::string name = type_name(type);
  return name.starts_with("float8e4m3") || name.starts_with("float8e5m2");
}

std::string type_name(int type) {
  if (const std::string_view name = newer_name(type); !name.empty()) return std::string(name);
  if (type == 0 || !::onnx::TensorProto_DataType_IsValid(type)) return "unknown";
  std::string name =
      ::onnx::TensorProto_DataType_Name(static_cast<::onnx::TensorProto_DataType>(type));
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return name;
}

int type_bits(int type) {
  if (type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16) return 16;
  if (type == TensorProto::DOUBLE) return 64;
  const std::string_view newer = newer_name(type);
  if (newer.ends_with("int4") || newer == "float4e2m1") return 4;
  if (newer.ends_with("int2")) return 2;
  return static_cast<int>(8 * type_bytes(type));
}

std::int64_t type_bytes(int type) {
  if (is_floating(type)) return 4;
  if (newer_name(type).starts_with("float8")) return 1;
  switch (type) {
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::COMPLEX64:
      return 8;
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 4;
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return 2;
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return 1;
    case TensorProto::COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

std::optional<Literal> read_values(const TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL) return std::nullopt;
  std::optional<Literal> literal = read_typed(tensor);
  if (!literal) return std::nullopt;
  const std::size_t held = std::visit([](const auto& values) { return values.size(); }, *literal);
  const auto count = checked_element_count(extents(tensor));
  if (!count || held != static_cast<std::size_t>(*count)) {
    throw Error("tensor \"" + tensor.name() + "\" holds " + std::to_string(held) +
                " values, which do not fill its shape");
  }
  return literal;
}

bool keeps_values(int type, const Dims& dims) {
  const bool real = is_floating(type) || type == TensorProto::INT8 || type == TensorProto::UINT8;
  const auto count = checked_element_count(dims);
  return count && *count <= (real ? max_stored_reals : max_literal_elements);
}

bool is_mask(std::string_view bytes, const Dims& dims) {
  const auto count = checked_element_count(dims);
  if (dims.size() < 2 || !count || *count < 2) return false;
  const auto elements = static_cast<std::size_t>(*count);
  const std::size_t size = bytes.size() / elements;
  if (size < 1 || size > 8 || bytes.size() != size * elements) return false;
  const std::string_view first = bytes.substr(0, size);
  std::string_view second;
  for (std::size_t at = size; at < bytes.size(); at += size) {
    const std::string_view value = bytes.substr(at, size);
    if (value == first || value == second) continue;
    if (!second.empty()) return false;
    second = value;
  }
  return !second.empty();
}

std::optional<Literal> read_literal(const TensorProto& tensor) {
  if (!keeps_values(tensor.data_type(), extents(tensor))) return std::nullopt;
  return read_values(tensor);
}

std::optional<TensorProto> write_literal(const Literal& literal, int type, const Dims& shape) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (const std::int64_t extent : shape) tensor.add_dims(extent);
  if (const auto* values = std::get_if<std::vector<double>>(&literal)) {
    for (const double value : *values) {
      if (type == TensorProto::FLOAT) {
        tensor.add_float_data(static_cast<float>(value));
      } else if (type == TensorProto::DOUBLE) {
        tensor.add_double_data(value);
      } else {
        return std::nullopt;
      }
    }
    return tensor;
  }
  for (const std::int64_t value : std::get<std::vector<std::int64_t>>(literal)) {
    if (type == TensorProto::INT64) {
      tensor.add_int64_data(value);
    } else if (type == TensorProto::UINT64 || type == TensorProto::UINT32) {
      tensor.add_uint64_data(static_cast<std::uint64_t>(value));
    } else {
      tensor.add_int32_data(static_cast<std::int32_t>(value));
    }
  }
  return tensor;
}

}  // namespace benanza::onnx
