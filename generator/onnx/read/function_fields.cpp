#include "generator/onnx/read/function_fields.h"

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;

/// Fields that older versions of ONNX read as unknown: NodeProto::overload and
/// FunctionProto::overload, before 1.16, and FunctionProto::attribute_proto, before 1.13.
constexpr int overload_of_node = 8;
constexpr int overload_of_function = 13;
constexpr int defaults_field = 11;

/// The texts and messages of field `number` that this version of ONNX does not know, in order.
template <class Message>
std::vector<std::string> unknown_bytes(const Message& message, int number) {
  std::vector<std::string> found;
  const auto& unknown = message.unknown_fields();
  for (int index = 0; index < unknown.field_count(); ++index) {
    const auto& field = unknown.field(index);
    if (field.number() != number || field.type() != field.TYPE_LENGTH_DELIMITED) continue;
    found.push_back(field.length_delimited());
  }
  return found;
}

/// Which of several functions of one name is meant; mostly empty.
template <class Message>
std::string stated_overload(const Message& message, int number) {
  if constexpr (requires { message.overload(); }) {
    return message.overload();
  } else {
    const std::vector<std::string> found = unknown_bytes(message, number);
    return found.empty() ? "" : found.back();
  }
}

/// The attributes of a function that have defaults.
template <class Function>
std::vector<AttributeProto> stated_defaults(const Function& function) {
  if constexpr (requires { function.attribute_proto(); }) {
    return {function.attribute_proto().begin(), function.attribute_proto().end()};
  } else {
    std::vector<AttributeProto> defaults;
    for (const std::string& bytes : unknown_bytes(function, defaults_field)) {
      AttributeProto attribute;
      if (!attribute.ParseFromString(bytes)) {
        throw Error("function \"" + function.name() +
                    "\" has a default that is no attribute: export the model again");
      }
      defaults.push_back(std::move(attribute));
    }
    return defaults;
  }
}

}  // namespace

std::string overload_of(const ::onnx::NodeProto& call) {
  return stated_overload(call, overload_of_node);
}

std::string overload_of(const ::onnx::FunctionProto& function) {
  return stated_overload(function, overload_of_function);
}

std::vector<AttributeProto> defaults_of(const ::onnx::FunctionProto& function) {
  return stated_defaults(function);
}

}  // namespace benanza::onnx
