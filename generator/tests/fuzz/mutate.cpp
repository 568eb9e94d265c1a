#include "generator/tests/fuzz/mutate.h"

#include <onnx/defs/schema.h>

#include <algorithm>
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

using ::onnx::OpSchema;
using ::onnx::TensorProto;

unsigned below(std::minstd_rand& random, std::size_t end) {
  return static_cast<unsigned>(random() % end);
}

/// The element types that the schema allows for an input, of those that models commonly have.
std::vector<int> element_types(const OpSchema::FormalParameter& input) {
  struct Named {
    const char* name;
    int type;
  };
  constexpr std::array<Named, 6> common{{{"tensor(float)", TensorProto::FLOAT},
                                         {"tensor(int64)", TensorProto::INT64},
                                         {"tensor(bool)", TensorProto::BOOL},
                                         {"tensor(uint8)", TensorProto::UINT8},
                                         {"tensor(int32)", TensorProto::INT32},
                                         {"tensor(string)", TensorProto::STRING}}};
  std::vector<int> types;
  for (const Named& named : common) {
    const auto& allowed = input.GetTypes();
    if (std::ranges::any_of(allowed,
                            [&](const std::string* type) { return *type == named.name; })) {
      types.push_back(named.type);
    }
  }
  if (types.empty()) types.push_back(TensorProto::FLOAT);
  return types;
}

std::vector<std::int64_t> extents(std::size_t axes, std::minstd_rand& random) {
  constexpr std::array<std::int64_t, 7> telling{0, 1, 1, 2, 3, 4, 8};
  std::vector<std::int64_t> found;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    found.push_back(telling[below(random, telling.size())]);
  }
  return found;
}

/// Adds small integers that the importer may fold.
void add_constant(::onnx::GraphProto& graph, const std::string& name,
                  const std::vector<std::int64_t>& dims, std::minstd_rand& random) {
  constexpr std::array<std::int64_t, 8> telling{-3, -1, 0, 1, 2, 3, 5, 100};
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::INT64);
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) {
    tensor.add_dims(extent);
    count *= extent;
  }
  for (; count > 0; --count) tensor.add_int64_data(telling[below(random, telling.size())]);
}

void add_input(::onnx::GraphProto& graph, const std::string& name, int type,
               const std::vector<std::int64_t>& dims) {
  ::onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name(name);
  auto& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t extent : dims) {
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

/// Gives the node as many inputs as its operator may have, most of them of one rank.
void add_inputs(::onnx::GraphProto& graph, ::onnx::NodeProto& node, const OpSchema& schema,
                std::minstd_rand& random) {
  constexpr std::size_t most_axes = 5;
  constexpr int most_inputs = 10;
  const int least = std::min(schema.min_input(), most_inputs);
  const int most = std::min(schema.max_input(), most_inputs);
  const int count =
      least + static_cast<int>(below(random, static_cast<unsigned>(most - least) + 1));
  const std::size_t common_axes = below(random, most_axes + 1);
  for (int index = 0; index < count; ++index) {
    const auto& inputs = schema.inputs();
    const auto& formal = inputs[std::min(static_cast<std::size_t>(index), inputs.size() - 1)];
    if (random() % 16 == 0) {
      node.add_input("");
      continue;
    }
    const std::string name = "x" + std::to_string(index);
    const std::vector<int> types = element_types(formal);
    const int type = types[below(random, types.size())];
    const std::size_t axes = random() % 2 == 0 ? common_axes : below(random, most_axes + 1);
    const std::vector<std::int64_t> dims = extents(axes, random);
    if (type == TensorProto::INT64 && random() % 2 == 0) {
      add_constant(graph, name, dims, random);
    } else {
      add_input(graph, name, type, dims);
    }
    node.add_input(name);
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

::onnx::ModelProto single_node(std::minstd_rand& random) {
  const auto schemas = ::onnx::OpSchemaRegistry::get_all_schemas_with_history();
  const OpSchema& schema = schemas[below(random, schemas.size())];

  ::onnx::ModelProto model;
  model.set_ir_version(::onnx::IR_VERSION);
  ::onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain(schema.domain());
  opset.set_version(schema.since_version() + static_cast<int>(below(random, 3)));
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("single");
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(schema.Name());
  node.set_domain(schema.domain());
  add_inputs(graph, node, schema, random);
  for (const auto& [name, description] : schema.attributes()) {
    if (description.required || random() % 2 == 0) add_attribute(node, description, random);
  }
  const int outputs =
      std::max(1, std::min(schema.max_output(), 1 + static_cast<int>(below(random, 3))));
  for (int index = 0; index < outputs; ++index) {
    const std::string name = "y" + std::to_string(index);
    node.add_output(name);
    graph.add_output()->set_name(name);
  }
  return model;
}

}  // namespace benanza::fuzz
