#include "generator/fuzz/single_node.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "generator/fuzz/mutate.h"

namespace benanza::fuzz {
namespace {

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
    if (std::any_of(allowed.begin(), allowed.end(),
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
