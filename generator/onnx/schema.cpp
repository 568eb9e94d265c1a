#include "onnx/schema.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "onnx/context.h"
#include "onnx/rebatch.h"

namespace benanza {
namespace {

using onnx::OpSchema;
using onnx::OpSchemaRegistry;
using onnx::TypeProto;

/// The words of an exception of the onnx library, on one line and without its prefix.
std::string one_line(std::string text) {
  if (text.starts_with('[')) {
    if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

int newest_known_opset(const std::string& domain) {
  const auto& ranges = OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = ranges.find(domain);
  return found == ranges.end() ? 0 : found->second.second;
}

/// Throws Error where the node is not what its schema describes: inference functions trust it.
void check_node(const Node& node, const OpSchema& schema) {
  const auto count = [](int value, int least, int most, const char* what) {
    if (value < least || value > most) {
      throw Error("has " + std::to_string(value) + ' ' + what + ", but takes " +
                  std::to_string(least) + " to " + std::to_string(most));
    }
  };
  count(node.proto().input_size(), schema.min_input(), schema.max_input(), "inputs");
  count(node.proto().output_size(), schema.min_output(), schema.max_output(), "outputs");
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

/// Throws Error where weights have not as many axes as what they slide over: the schema of
/// ConvTranspose reads the extents that are missing.
void check_weights(const Program& program, const Step& step) {
  if (step.node.op_type() != "ConvTranspose" || !step.node.domain().empty()) return;
  const std::vector<const Tensor*> inputs = input_tensors(program, step);
  const auto axes = [&](std::size_t index) -> std::optional<std::size_t> {
    if (index >= inputs.size() || inputs[index] == nullptr || !inputs[index]->shape) return {};
    return inputs[index]->shape->size();
  };
  const auto input = axes(0);
  const auto weights = axes(1);
  if (input && weights && *input != *weights) {
    throw Error("has weights of " + std::to_string(*weights) + " axes for an input of " +
                std::to_string(*input));
  }
}

/// Throws Error where a shape that is only known to have so many extents would have more than any
/// tensor: the schema of ConstantOfShape makes them all.
void check_shape_operand(const Program& program, const Step& step) {
  constexpr std::int64_t most_axes = 1024;
  if (step.node.op_type() != "ConstantOfShape" || !step.node.domain().empty()) return;
  const std::vector<const Tensor*> inputs = input_tensors(program, step);
  if (inputs.empty() || inputs[0] == nullptr || !inputs[0]->shape) return;
  const Dims& shape = *inputs[0]->shape;
  if (!shape.empty() && shape[0] > most_axes) {
    throw Error("makes a tensor of " + std::to_string(shape[0]) + " axes");
  }
}

/// Throws Error where a tensor is split into parts of nothing: the schema of SplitToSequence
/// divides by their size.
void check_part_size(const Program& program, const Step& step) {
  if (step.node.full_type() != "SplitToSequence") return;
  const std::vector<const Tensor*> inputs = input_tensors(program, step);
  if (inputs.size() < 2 || inputs[1] == nullptr || !inputs[1]->literal || !inputs[1]->shape) return;
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&*inputs[1]->literal);
  if (!inputs[1]->shape->empty() || sizes == nullptr || sizes->size() != 1) return;
  if (sizes->front() < 1) {
    throw Error("splits into parts of " + std::to_string(sizes->front()) + " elements");
  }
}

/// Whether the schema of MaxUnpool would read a shape that is not known: that of its third input.
bool reads_unknown_shape(const Program& program, const Step& step) {
  if (step.node.full_type() != "MaxUnpool" || step.inputs.size() < 3) return false;
  const Tensor* size = input_tensors(program, step)[2];
  return size == nullptr || !size->shape;
}

/// Whether the newest schema there is describes a node of a newer opset: it must know every
/// attribute and have room for every input, or it would infer something else.
bool describes(const OpSchema& schema, const Node& node) {
  // Known to change nothing about shapes, or read by inference functions of older schemas.
  constexpr std::array<std::string_view, 3> harmless{"num_outputs", "saturate", "stash_type"};
  const auto& attributes = node.proto().attribute();
  return (node.proto().input_size() <= schema.max_input() ||
          node.op_type().starts_with("Reduce")) &&
         std::all_of(attributes.begin(), attributes.end(), [&](const auto& attribute) {
           return schema.attributes().count(attribute.name()) > 0 ||
                  std::find(harmless.begin(), harmless.end(), attribute.name()) != harmless.end();
         });
}

/// Frameworks take -1 in the target of Expand for "as it is"; the schemas know only 1 for that.
void keep_free_extents(NodeContext& context, const Program& program, const Step& step) {
  const std::vector<const Tensor*> inputs = input_tensors(program, step);
  const Tensor* target = inputs.size() > 1 ? inputs[1] : nullptr;
  if (target == nullptr || !target->literal || !target->shape) return;
  Literal literal = *target->literal;
  auto* extents = std::get_if<std::vector<std::int64_t>>(&literal);
  if (extents == nullptr) return;
  std::replace(extents->begin(), extents->end(), std::int64_t{-1}, std::int64_t{1});
  if (auto value = write_literal(literal, target->type, *target->shape)) {
    context.replace_data(1, std::move(*value));
  }
}

/// Runs what describes the operator: the schema's inference, or its expansion into other operators.
void apply(const OpSchema& schema, NodeContext& context) {
  if (schema.has_type_and_shape_inference_function()) {
    schema.GetTypeAndShapeInferenceFunction()(context);
  } else if (schema.HasFunction()) {
    onnx::shape_inference::InferShapeForFunctionNode(*schema.GetFunction(),
                                                     OpSchemaRegistry::Instance(), context);
  }
}

bool inputs_have_types(const Program& program, const Step& step) {
  return std::all_of(step.inputs.begin(), step.inputs.end(), [&](const std::string& name) {
    return name.empty() || program.types.contains(name);
  });
}

}  // namespace

std::vector<TypeProto> schema_types(const Program& program, const Step& step, const Bound& bound) {
  std::vector<TypeProto> types(step.outputs.size());
  const Node& node = step.node;
  const OpSchema* schema = OpSchemaRegistry::Schema(node.op_type(), node.opset(), node.domain());
  if (schema == nullptr || node.has_subgraph()) return types;
  const bool newer = node.opset() > newest_known_opset(node.domain());
  try {
    check_node(node, *schema);
    if (!inputs_have_types(program, step) || (newer && !describes(*schema, node))) return types;
    check_weights(program, step);
    check_shape_operand(program, step);
    check_part_size(program, step);
    if (reads_unknown_shape(program, step)) return types;
    NodeContext context(program, step);
    if (bound.replaced_batch && node.op_type() == "Reshape") {
      rebatch_reshape(context, program, step, *bound.replaced_batch, bound.batch);
    }
    if (node.op_type() == "Expand") keep_free_extents(context, program, step);
    apply(*schema, context);
    for (std::size_t output = 0; output < types.size(); ++output) {
      types[output] = context.output_type(output);
    }
  } catch (const std::exception& error) {
    // An old schema may not understand a newer node: then nothing is known.
    if (!newer) throw Error(one_line(error.what()));
    types.assign(step.outputs.size(), TypeProto());
  }
  return types;
}

}  // namespace benanza
