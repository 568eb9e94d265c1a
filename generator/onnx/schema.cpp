#include "generator/onnx/schema.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/context.h"
#include "generator/onnx/rebatch.h"
#include "generator/onnx/schema_check.h"

namespace benanza::onnx {
namespace {

using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;
using ::onnx::TypeProto;

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

/// Whether the schema of MaxUnpool would read a shape that is not known.
bool reads_unknown_shape(const Program& program, const Step& step) {
  if (step.node.full_type() != "MaxUnpool") return false;
  const std::vector<const Tensor*> inputs = input_tensors(program, step);
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor* input) { return input == nullptr || !input->shape; });
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
    ::onnx::shape_inference::InferShapeForFunctionNode(*schema.GetFunction(),
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
    check_node(program, step, *schema);
    if (!inputs_have_types(program, step) || (newer && !describes(*schema, node))) return types;
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

}  // namespace benanza::onnx
