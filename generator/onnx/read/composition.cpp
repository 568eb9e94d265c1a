#include "generator/onnx/read/composition.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "generator/onnx/model/node.h"

namespace benanza::onnx {
namespace {

bool imports(const ::onnx::ModelProto& model, const ::onnx::OperatorSetIdProto& wanted) {
  return std::ranges::any_of(model.opset_import(), [&](const auto& import) {
    return canonical_domain(import.domain()) == canonical_domain(wanted.domain()) &&
           import.version() >= wanted.version();
  });
}

bool has_own_function(const ::onnx::ModelProto& model, const ::onnx::FunctionProto& function) {
  return std::ranges::any_of(model.functions(), [&](const auto& own) {
    return own.name() == function.name() && own.domain() == function.domain();
  });
}

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

Composition composed(const char* op, int required_inputs, const std::vector<const char*>& inputs,
                     const std::vector<const char*>& outputs) {
  Composition made{.required_inputs = required_inputs};
  made.function.set_name(op);
  made.function.set_domain("com.microsoft");
  for (const char* const name : inputs) made.function.add_input(name);
  for (const char* const name : outputs) made.function.add_output(name);
  made.function.add_opset_import()->set_version(11);
  auto& own = *made.function.add_opset_import();
  own.set_domain("com.microsoft");
  own.set_version(1);
  return made;
}

::onnx::NodeProto& add_part(Composition& composition, const char* op, const char* domain,
                            const std::vector<const char*>& inputs,
                            const std::vector<const char*>& outputs) {
  ::onnx::NodeProto& node = *composition.function.add_node();
  node.set_name(op);
  node.set_op_type(op);
  node.set_domain(domain);
  for (const char* const name : inputs) node.add_input(name);
  for (const char* const name : outputs) node.add_output(name);
  return node;
}

bool does(const Composition& composition, const ::onnx::NodeProto& node) {
  const ::onnx::FunctionProto& function = composition.function;
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return false;
  }
  for (int index = 0; index < composition.required_inputs; ++index) {
    if (index >= node.input_size() || node.input(index).empty()) return false;
  }
  return std::ranges::all_of(node.attribute(), [&](const auto& attribute) {
    return std::ranges::find(function.attribute(), attribute.name()) != function.attribute().end();
  });
}

std::vector<Composition> usable(std::vector<Composition> compositions,
                                const ::onnx::ModelProto& model) {
  std::erase_if(compositions, [&](const Composition& one) {
    return has_own_function(model, one.function) ||
           !std::ranges::all_of(one.function.opset_import(),
                                [&](const auto& opset) { return imports(model, opset); });
  });
  return compositions;
}

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
