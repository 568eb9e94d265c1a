#include "generator/fuzz/mutate.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace benanza::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;

template <class List>
auto& pick(List& list, std::minstd_rand& random) {
  return list[random() % std::size(list)];
}

/// All messages of a model, and all strings that could be a name.
struct Contents {
  std::vector<Message*> messages;
  std::vector<std::string> texts{""};
};

void collect(Message& message, Contents& contents) {
  contents.messages.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int index = 0; index < count; ++index) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        collect(*(field->is_repeated() ? reflection.MutableRepeatedMessage(&message, field, index)
                                       : reflection.MutableMessage(&message, field)),
                contents);
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        contents.texts.push_back(field->is_repeated()
                                     ? reflection.GetRepeatedString(message, field, index)
                                     : reflection.GetString(message, field));
      }
    }
  }
}

std::int64_t integer(std::minstd_rand& random) {
  constexpr std::array<std::int64_t, 16> telling{0,
                                                 1,
                                                 2,
                                                 3,
                                                 4,
                                                 5,
                                                 -1,
                                                 -2,
                                                 -3,
                                                 7,
                                                 64,
                                                 65'536,
                                                 std::int64_t{1} << 31,
                                                 1LL << 40,
                                                 std::numeric_limits<std::int64_t>::max(),
                                                 std::numeric_limits<std::int64_t>::min()};
  return pick(telling, random);
}

double real(std::minstd_rand& random) {
  constexpr std::array telling{
      0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, 1e30, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
  return pick(telling, random);
}

/// Sets a scalar field, or appends to a list of scalars.
void set_value(Message& message, const FieldDescriptor& field, const Contents& contents,
               std::minstd_rand& random) {
  const Reflection& reflection = *message.GetReflection();
  const bool list = field.is_repeated();
  const auto put = [&](auto add, auto set, const auto& value) {
    list ? (reflection.*add)(&message, &field, value) : (reflection.*set)(&message, &field, value);
  };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      put(&Reflection::AddInt32, &Reflection::SetInt32, static_cast<std::int32_t>(integer(random)));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      put(&Reflection::AddInt64, &Reflection::SetInt64, integer(random));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      put(&Reflection::AddUInt64, &Reflection::SetUInt64,
          static_cast<std::uint64_t>(integer(random)));
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      put(&Reflection::AddFloat, &Reflection::SetFloat, static_cast<float>(real(random)));
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      put(&Reflection::AddDouble, &Reflection::SetDouble, real(random));
      break;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* const type = field.enum_type();
      const int choice = static_cast<int>(random() % static_cast<unsigned>(type->value_count()));
      put(&Reflection::AddEnum, &Reflection::SetEnum, type->value(choice));
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = pick(contents.texts, random);
      list ? reflection.AddString(&message, &field, text)
           : reflection.SetString(&message, &field, text);
      break;
    }
    default:
      break;
  }
}

void change_list(Message& message, const FieldDescriptor& field, std::minstd_rand& random) {
  const Reflection& reflection = *message.GetReflection();
  const int count = reflection.FieldSize(message, &field);
  if (count == 0) return;
  const int one = static_cast<int>(random() % static_cast<unsigned>(count));
  const int other = static_cast<int>(random() % static_cast<unsigned>(count));
  reflection.SwapElements(&message, &field, one, other);
  if (random() % 2 == 0) reflection.RemoveLast(&message, &field);
}

/// Replaces a field by a copy of a message of the same type, or appends the copy to a list.
void copy_message(Message& message, const FieldDescriptor& field, const Contents& contents,
                  std::minstd_rand& random) {
  std::vector<const Message*> donors;
  for (const Message* donor : contents.messages) {
    if (donor->GetDescriptor() == field.message_type()) donors.push_back(donor);
  }
  const Reflection& reflection = *message.GetReflection();
  Message* const target = field.is_repeated() ? reflection.AddMessage(&message, &field) : nullptr;
  if (donors.empty()) {
    if (target == nullptr) reflection.MutableMessage(&message, &field);
    return;
  }
  // The donor may contain the target.
  const std::unique_ptr<Message> copy(donors[0]->New());
  copy->CopyFrom(*pick(donors, random));
  (target != nullptr ? target : reflection.MutableMessage(&message, &field))->CopyFrom(*copy);
}

void change_field(Message& message, const Contents& contents, std::minstd_rand& random) {
  const auto* const descriptor = message.GetDescriptor();
  const FieldDescriptor& field = *descriptor->field(
      static_cast<int>(random() % static_cast<unsigned>(descriptor->field_count())));
  if (random() % 8 == 0) {
    message.GetReflection()->ClearField(&message, &field);
  } else if (field.is_repeated() && random() % 2 == 0) {
    change_list(message, field, random);
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    copy_message(message, field, contents, random);
  } else {
    set_value(message, field, contents, random);
  }
}

/// Changes a node's operator, with inputs and attributes that fit its schema.
void change_operator(NodeProto& node, const Contents& contents, std::minstd_rand& random) {
  static const std::vector<OpSchema> schemas = ::onnx::OpSchemaRegistry::get_all_schemas();
  const OpSchema& schema = pick(schemas, random);
  node.set_op_type(schema.Name());
  node.set_domain(schema.domain());
  constexpr int most = 4;
  const int inputs = std::min(schema.max_input(), schema.min_input() + most);
  const int wanted =
      schema.min_input() +
      static_cast<int>(random() % static_cast<unsigned>(inputs - schema.min_input() + 1));
  while (node.input_size() > wanted) node.mutable_input()->RemoveLast();
  while (node.input_size() < wanted) node.add_input(pick(contents.texts, random));
  while (node.output_size() > schema.max_output()) node.mutable_output()->RemoveLast();
  node.clear_attribute();
  for (const auto& [name, description] : schema.attributes()) {
    if (description.required || random() % 2 == 0) add_attribute(node, description, random);
  }
}

}  // namespace

void add_attribute(NodeProto& node, const OpSchema::Attribute& description,
                   std::minstd_rand& random) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(description.name);
  attribute.set_type(description.type);
  const auto extents = random() % 5;
  switch (description.type) {
    case AttributeProto::INT:
      attribute.set_i(integer(random));
      break;
    case AttributeProto::FLOAT:
      attribute.set_f(static_cast<float>(real(random)));
      break;
    case AttributeProto::INTS:
      for (unsigned i = 0; i < extents; ++i) attribute.add_ints(integer(random));
      break;
    case AttributeProto::FLOATS:
      for (unsigned i = 0; i < extents; ++i) attribute.add_floats(static_cast<float>(real(random)));
      break;
    case AttributeProto::STRING: {
      constexpr std::array words{"SAME_UPPER", "SAME_LOWER", "VALID", "constant",  "edge",
                                 "bilinear",   "linear",     "DCR",   "ij,jk->ik", "none"};
      attribute.set_s(pick(words, random));
      break;
    }
    case AttributeProto::TENSOR: {
      attribute.mutable_t()->set_data_type(::onnx::TensorProto::INT64);
      attribute.mutable_t()->add_dims(1);
      attribute.mutable_t()->add_int64_data(integer(random));
      break;
    }
    default:
      break;
  }
}

void mutate(::onnx::ModelProto& model, std::minstd_rand& random) {
  Contents contents;
  collect(model, contents);
  Message& message = *pick(contents.messages, random);
  auto* const node = dynamic_cast<NodeProto*>(&message);
  if (node != nullptr && random() % 2 == 0) {
    change_operator(*node, contents, random);
  } else {
    change_field(message, contents, random);
  }
}

}  // namespace benanza::fuzz
