#include "onnx/schema_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "onnx/context.h"

namespace benanza {
namespace {

using onnx::OpSchema;

void check_count(int value, int least, int most, const char* what) {
  if (value < least || value > most) {
    throw Error("has " + std::to_string(value) + ' ' + what + ", but takes " +
                std::to_string(least) + " to " + std::to_string(most));
  }
}

void check_description(const Node& node, const OpSchema& schema) {
  const onnx::NodeProto& proto = node.proto();
  check_count(proto.input_size(), schema.min_input(), schema.max_input(), "inputs");
  check_count(proto.output_size(), schema.min_output(), schema.max_output(), "outputs");
  if (schema.min_input() > 0 && proto.input(0).empty()) throw Error("has no first input");
  for (const auto& [name, description] : schema.attributes()) {
    const onnx::AttributeProto* attribute = node.find(name);
    if (attribute == nullptr) {
      if (description.required) throw Error("attribute \"" + name + "\" is missing");
    } else if (attribute->type() != onnx::AttributeProto::UNDEFINED &&
               attribute->type() != description.type) {
      throw Error("attribute \"" + name + "\" has the wrong type");
    }
  }
}

/// Of the inputs in their order: nothing where the shape is not known.
using Shapes = std::vector<std::optional<Dims>>;

Shapes input_shapes(const Program& program, const Step& step) {
  Shapes shapes;
  for (const Tensor* tensor : input_tensors(program, step)) {
    shapes.push_back(tensor == nullptr ? std::nullopt : tensor->shape);
  }
  return shapes;
}

std::optional<std::size_t> axes(const Shapes& shapes, std::size_t index) {
  if (index >= shapes.size() || !shapes[index]) return std::nullopt;
  return shapes[index]->size();
}

/// Weights have as many axes as what they slide over, and at least one to slide along.
void check_convolution(const Node&, const Shapes& shapes) {
  const auto input = axes(shapes, 0);
  const auto weights = axes(shapes, 1);
  if (input && *input < 3) {
    throw Error("has an input of " + std::to_string(*input) + " axes, but takes 3 and more");
  }
  if (input && weights && *input != *weights) {
    throw Error("has weights of " + std::to_string(*weights) + " axes for an input of " +
                std::to_string(*input));
  }
}

void check_gemm(const Node&, const Shapes& shapes) {
  for (const std::size_t index : {0U, 1U}) {
    if (const auto found = axes(shapes, index); found && *found != 2) {
      throw Error("multiplies a tensor of " + std::to_string(*found) + " axes");
    }
  }
}

void check_normalization(const Node& node, const Shapes& shapes) {
  const auto input = axes(shapes, 0);
  if (!input) return;
  const std::int64_t axis = node.integer("axis", -1);
  const auto most = static_cast<std::int64_t>(*input);
  if (axis < -most || axis >= most) {
    throw Error("normalizes from axis " + std::to_string(axis) + " of " + std::to_string(most));
  }
}

void check_gather(const Node& node, const Shapes& shapes) {
  if (const std::int64_t batch = node.integer("batch_dims", 0); batch < 0) {
    throw Error("has batch_dims of " + std::to_string(batch));
  }
  if (axes(shapes, 1) == 0U) throw Error("has indices without an axis");
}

void check_unpooling(const Node& node, const Shapes&) {
  if (node.proto().input(1).empty()) throw Error("has no indices");
}

/// The schema makes as many dimensions as the input has elements.
void check_shape_operand(const Node&, const Shapes& shapes) {
  constexpr std::int64_t most_axes = 1024;
  if (shapes.empty() || !shapes[0] || shapes[0]->empty()) return;
  if (const std::int64_t made = shapes[0]->front(); made > most_axes) {
    throw Error("makes a tensor of " + std::to_string(made) + " axes");
  }
}

struct Check {
  std::string_view op;
  void (*run)(const Node&, const Shapes&);
};

/// What the onnx package itself does not look at, up to 1.12 at least.
constexpr std::array<Check, 8> checks{{{"Conv", check_convolution},
                                       {"ConvInteger", check_convolution},
                                       {"ConvTranspose", check_convolution},
                                       {"Gemm", check_gemm},
                                       {"LayerNormalization", check_normalization},
                                       {"GatherND", check_gather},
                                       {"MaxUnpool", check_unpooling},
                                       {"ConstantOfShape", check_shape_operand}}};

}  // namespace

void check_node(const Program& program, const Step& step, const OpSchema& schema) {
  check_description(step.node, schema);
  if (!step.node.domain().empty()) return;
  for (const Check& check : checks) {
    if (check.op == step.node.op_type()) check.run(step.node, input_shapes(program, step));
  }
}

}  // namespace benanza
