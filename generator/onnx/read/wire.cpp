// Protocol Buffers' wire format (protobuf.dev, "Encoding"): a message is a sequence of fields, each
// a tag (field number * 8 + type of the value) and a value: a varint, 4 or 8 bytes, or a length
// followed by as many bytes. Nested messages are such bytes.
#include "generator/onnx/read/wire.h"

#include <onnx/onnx_pb.h>

#include <array>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/model/tensor.h"

namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;

/// Messages of up to this many bytes are copied without parsing them.
constexpr std::size_t small_message = 4096;
/// Values that are kept never need more: 2^16 varints of 10 bytes.
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;
/// The same limit as in protobuf.
constexpr int most_depth = 100;

[[noreturn]] void malformed() {
  throw Error("is truncated or not an ONNX model: pass a complete .onnx file");
}

enum class WireType { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

struct Field {
  std::uint64_t number = 0;
  WireType type = WireType::varint;
  /// Tag and value.
  std::string_view whole;
  /// The value of a varint.
  std::uint64_t integer = 0;
  /// The value of any other type.
  std::string_view bytes;
};

/// Reads the fields of a message one by one.
class Reader {
 public:
  explicit Reader(std::string_view message) : rest_(message) {}

  /// Returns empty at the end.
  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    Field field;
    const char* begin = rest_.data();
    const std::uint64_t tag = varint();
    field.number = tag >> 3U;
    field.type = static_cast<WireType>(tag & 7U);
    if (field.number == 0 || tag > std::numeric_limits<std::uint32_t>::max()) malformed();
    switch (field.type) {
      case WireType::varint:
        field.integer = varint();
        break;
      case WireType::eight_bytes:
        field.bytes = take(8);
        break;
      case WireType::bytes:
        field.bytes = take(varint());
        break;
      case WireType::four_bytes:
        field.bytes = take(4);
        break;
      default:
        malformed();
    }
    field.whole = {begin, static_cast<std::size_t>(rest_.data() - begin)};
    return field;
  }

  bool at_end() const { return rest_.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    malformed();
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) malformed();
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7fU) | 0x80U);
  out += static_cast<char>(value);
}

void put_bytes(std::string& out, std::uint64_t number, std::string_view bytes) {
  put_varint(out, number << 3U | static_cast<unsigned>(WireType::bytes));
  put_varint(out, bytes.size());
  out += bytes;
}

enum class Message { model, graph, function, node, attribute, sparse_tensor, tensor };

/// FunctionProto::attribute_proto, since ONNX 1.13.
constexpr int function_defaults = 11;

struct Nesting {
  Message outer;
  int number;
  Message inner;
};

/// Every path from a model to a tensor.
constexpr std::array nestings{
    Nesting{Message::model, ModelProto::kGraphFieldNumber, Message::graph},
    Nesting{Message::model, ModelProto::kFunctionsFieldNumber, Message::function},
    Nesting{Message::function, FunctionProto::kNodeFieldNumber, Message::node},
    Nesting{Message::function, function_defaults, Message::attribute},
    Nesting{Message::graph, GraphProto::kNodeFieldNumber, Message::node},
    Nesting{Message::graph, GraphProto::kInitializerFieldNumber, Message::tensor},
    Nesting{Message::graph, GraphProto::kSparseInitializerFieldNumber, Message::sparse_tensor},
    Nesting{Message::node, NodeProto::kAttributeFieldNumber, Message::attribute},
    Nesting{Message::attribute, AttributeProto::kTFieldNumber, Message::tensor},
    Nesting{Message::attribute, AttributeProto::kTensorsFieldNumber, Message::tensor},
    Nesting{Message::attribute, AttributeProto::kSparseTensorFieldNumber, Message::sparse_tensor},
    Nesting{Message::attribute, AttributeProto::kSparseTensorsFieldNumber, Message::sparse_tensor},
    Nesting{Message::attribute, AttributeProto::kGFieldNumber, Message::graph},
    Nesting{Message::attribute, AttributeProto::kGraphsFieldNumber, Message::graph},
    Nesting{Message::sparse_tensor, SparseTensorProto::kValuesFieldNumber, Message::tensor},
    Nesting{Message::sparse_tensor, SparseTensorProto::kIndicesFieldNumber, Message::tensor},
};

std::optional<Message> nested(Message outer, std::uint64_t number) {
  for (const Nesting& nesting : nestings) {
    if (nesting.outer == outer && static_cast<std::uint64_t>(nesting.number) == number) {
      return nesting.inner;
    }
  }
  return std::nullopt;
}

bool holds_values(const Field& field) {
  switch (field.number) {
    case TensorProto::kFloatDataFieldNumber:
    case TensorProto::kInt32DataFieldNumber:
    case TensorProto::kStringDataFieldNumber:
    case TensorProto::kInt64DataFieldNumber:
    case TensorProto::kRawDataFieldNumber:
    case TensorProto::kDoubleDataFieldNumber:
    case TensorProto::kUint64DataFieldNumber:
      return true;
    default:
      return false;
  }
}

/// The facts that decide whether a tensor keeps its values.
struct WireTensor {
  std::string_view name;
  int type = 0;
  Dims dims;
  std::size_t value_bytes = 0;
  /// The last of the fields that hold them.
  std::string_view values;
};

/// Extents are stored one by one or packed. Collects no more than any real tensor has.
void add_extents(const Field& field, Dims& dims) {
  constexpr std::size_t most = 64;
  if (field.type == WireType::varint) {
    if (dims.size() < most) dims.push_back(static_cast<std::int64_t>(field.integer));
    return;
  }
  for (Reader reader(field.bytes); !reader.at_end() && dims.size() < most;) {
    dims.push_back(static_cast<std::int64_t>(reader.varint()));
  }
}

WireTensor facts(std::string_view tensor) {
  WireTensor facts;
  Reader reader(tensor);
  while (const auto field = reader.next()) {
    if (field->number == TensorProto::kNameFieldNumber) facts.name = field->bytes;
    if (field->number == TensorProto::kDataTypeFieldNumber) {
      facts.type = static_cast<int>(field->integer);
    }
    if (field->number == TensorProto::kDimsFieldNumber) add_extents(*field, facts.dims);
    if (holds_values(*field)) {
      facts.value_bytes += field->whole.size();
      facts.values = field->bytes;
    }
  }
  return facts;
}

/// Whether all bytes of a tensor of at most 8 bits per element are the same, as zero points mostly
/// are. Differing ones are found soon.
bool is_uniform(const WireTensor& tensor) {
  constexpr int byte = 8;
  const int bits = type_bits(tensor.type);
  return bits > 0 && bits <= byte && !tensor.values.empty() &&
         2 * tensor.values.size() > tensor.value_bytes &&  // in one field
         tensor.values.find_first_not_of(tensor.values.front()) == std::string_view::npos;
}

/// Of integers that are all the same, one byte stays. `mask_bytes`: those of all masks so far.
std::string copy_tensor(std::string_view tensor, std::int64_t& mask_bytes) {
  const WireTensor known = facts(tensor);
  const bool keeps = known.type != TensorProto::STRING && keeps_values(known.type, known.dims);
  if (keeps && known.value_bytes > most_kept_bytes) {
    throw Error("tensor \"" + std::string(known.name) + "\" holds " +
                std::to_string(known.value_bytes) + " bytes, more than fill its shape " +
                join(known.dims, 'x') + ": export the model again");
  }
  if (keeps) return std::string(tensor);
  // Truth values in another field than raw_data are packed varints of one byte each.
  const std::int64_t bytes = mask_bytes + std::ssize(known.values);
  if (std::ssize(known.values) <= max_mask_bytes && bytes <= max_bytes_of_masks &&
      known.type != TensorProto::STRING && is_mask(known.values, known.dims)) {
    mask_bytes = bytes;
    return std::string(tensor);
  }
  std::string out;
  Reader reader(tensor);
  while (const auto field = reader.next()) {
    if (!holds_values(*field)) out += field->whole;
  }
  if (is_uniform(known)) {
    put_varint(out, TensorProto::kRawDataFieldNumber << 3U | 2U);
    put_varint(out, 1);
    out += known.values.front();
  }
  put_varint(out, TensorProto::kDataLocationFieldNumber << 3U);
  put_varint(out, TensorProto::EXTERNAL);
  return out;
}

class Copier {
 public:
  explicit Copier(const std::function<void(const char*)>& passed) : passed_(passed) {}

  std::string message(std::string_view message, Message kind, int depth = 0) {
    if (depth > most_depth) malformed();
    std::string out;
    Reader reader(message);
    while (const auto field = reader.next()) {
      append(*field, kind, depth, out);
      if (passed_) passed_(field->whole.data() + field->whole.size());
    }
    return out;
  }

 private:
  void append(const Field& field, Message kind, int depth, std::string& out) {
    constexpr std::size_t most_text = std::size_t{1} << 20;
    const auto inner = nested(kind, field.number);
    if (kind == Message::model && field.number == ModelProto::kTrainingInfoFieldNumber) return;
    if (field.type != WireType::bytes || field.bytes.size() <= small_message) {
      out += field.whole;
    } else if (inner == Message::tensor) {
      put_bytes(out, field.number, copy_tensor(field.bytes, mask_bytes_));
    } else if (inner) {
      put_bytes(out, field.number, message(field.bytes, *inner, depth + 1));
    } else if (kind == Message::attribute && field.number == AttributeProto::kSFieldNumber &&
               field.bytes.size() > most_text) {
      put_bytes(out, field.number, {});
    } else {
      out += field.whole;
    }
    if (out.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error("holds more than 2 GiB besides its weights: export the model again");
    }
  }

  const std::function<void(const char*)>& passed_;
  std::int64_t mask_bytes_ = 0;
};

}  // namespace

std::string without_weights(std::string_view model,
                            const std::function<void(const char*)>& passed) {
  return Copier(passed).message(model, Message::model);
}

}  // namespace benanza::onnx
