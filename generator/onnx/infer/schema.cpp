#include "generator/onnx/infer/schema.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/infer/rebatch.h"

namespace benanza::onnx {
namespace {

using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;
using ::onnx::TypeProto;

void check_count(int value, int least, int most, const char* what) {
  if (value < least || value > most) {
    throw DescriptionError("has " + std::to_string(value) + ' ' + what + ", but takes " +
                           std::to_string(least) + " to " + std::to_string(most));
  }
}

void check_description(const Node& node, const OpSchema& schema) {
  const ::onnx::NodeProto& proto = node.proto();
  check_count(proto.input_size(), schema.min_input(), schema.max_input(), "inputs");
  check_count(proto.output_size(), schema.min_output(), schema.max_output(), "outputs");
  if (schema.min_input() > 0 && proto.input(0).empty())
    throw DescriptionError("has no first input");
  for (const auto& [name, description] : schema.attributes()) {
    const ::onnx::AttributeProto* attribute = node.find(name);
    if (attribute == nullptr) {
      if (description.required) throw DescriptionError("attribute \"" + name + "\" is missing");
    } else if (attribute->type() != ::onnx::AttributeProto::UNDEFINED &&
               attribute->type() != description.type) {
      throw DescriptionError("attribute \"" + name + "\" has the wrong type");
    }
  }
}

/// The prefix that the names of such types have in a schema, for example "seq(".
std::string_view kind(const ::onnx::TypeProto& type) {
  switch (type.value_case()) {
    case ::onnx::TypeProto::kSequenceType:
      return "seq(";
    case ::onnx::TypeProto::kMapType:
      return "map(";
    case ::onnx::TypeProto::kOptionalType:
      return "optional(";
    case ::onnx::TypeProto::kSparseTensorType:
      return "sparse_tensor(";
    default:
      return "tensor(";
  }
}

/// Throws Error if an input is a sequence where a tensor is expected, and so on. Element types are
/// not checked: models often use newer ones than the schema lists.
void check_kinds(const Step& step, const OpSchema& schema) {
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    const Value* input = step.inputs[index];
    if (input == nullptr || !input->has_type() || schema.inputs().empty()) continue;
    const auto& formal = schema.inputs()[std::min(index, schema.inputs().size() - 1)];
    const auto& types = formal.GetTypes();
    if (std::ranges::none_of(types, [&](const std::string* type) {
          return type->starts_with(kind(input->value_type));
        })) {
      throw DescriptionError("takes no input of the kind of \"" + input->id + '"');
    }
  }
}

/// The message of an exception of the onnx library, on one line and without its prefix.
std::string one_line(std::string text) {
  if (text.starts_with('[')) {
    if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
  }
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

int newest_known_opset(const std::string& domain) {
  const auto& ranges = OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = ranges.find(domain);
  return found == ranges.end() ? 0 : found->second.second;
}

/// Whether the newest installed schema fits a node of a newer opset: it must have every attribute
/// and, except for reductions, enough inputs, or it would infer something wrong.
bool describes(const OpSchema& schema, const Node& node) {
  // These do not affect shapes, or inference functions of older schemas read them.
  constexpr std::array<std::string_view, 3> harmless{"num_outputs", "saturate", "stash_type"};
  const auto& attributes = node.proto().attribute();
  return (node.proto().input_size() <= schema.max_input() ||
          node.op_type().starts_with("Reduce")) &&
         std::ranges::all_of(attributes, [&](const auto& attribute) {
           return schema.attributes().count(attribute.name()) > 0 ||
                  std::ranges::find(harmless, attribute.name()) != harmless.end();
         });
}

/// Frameworks use -1 in the shape input of Expand to keep an extent; the schemas accept only 1.
void keep_free_extents(NodeContext& context, const Step& step) {
  const Tensor* target = step.inputs.size() > 1 ? step.inputs[1] : nullptr;
  if (target == nullptr || !target->literal || !target->shape) return;
  Literal literal = *target->literal;
  auto* extents = std::get_if<std::vector<std::int64_t>>(&literal);
  if (extents == nullptr) return;
  std::replace(extents->begin(), extents->end(), std::int64_t{-1}, std::int64_t{1});
  if (auto value = write_literal(literal, target->type, *target->shape)) {
    context.replace_data(1, std::move(*value));
  }
}

/// Runtimes take a vector of one element as a bound of Range, too; the schemas accept only scalars.
void take_bounds_as_scalars(NodeContext& context, const Step& step) {
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    const Tensor* bound = step.inputs[index];
    if (bound == nullptr || !bound->literal || !bound->shape || bound->shape->empty()) continue;
    if (element_count(*bound->shape) != 1) continue;
    if (auto value = write_literal(*bound->literal, bound->type, {})) {
      context.replace_data(index, std::move(*value));
    }
  }
}

/// Runs the schema's inference function or, if it has none, infers through its function body.
void apply(const OpSchema& schema, NodeContext& context) {
  if (schema.has_type_and_shape_inference_function()) {
    schema.GetTypeAndShapeInferenceFunction()(context);
  } else if (schema.HasFunction()) {
    ::onnx::shape_inference::InferShapeForFunctionNode(*schema.GetFunction(),
                                                       OpSchemaRegistry::Instance(), context);
  }
}

bool inputs_have_types(const Step& step) {
  return std::ranges::all_of(
      step.inputs, [](const Value* input) { return input == nullptr || input->has_type(); });
}

}  // namespace

NodeContext::NodeContext(const Step& step) : step_(&step), outputs_(step.outputs.size()) {}

void NodeContext::replace_data(std::size_t index, ::onnx::TensorProto value) {
  data_[index] = std::move(value);
}

const ::onnx::AttributeProto* NodeContext::getAttribute(const std::string& name) const {
  return step_->node.find(name);
}

const Value* NodeContext::known_input(std::size_t index) const {
  const Value* input = index < step_->inputs.size() ? step_->inputs[index] : nullptr;
  return input != nullptr && input->has_type() ? input : nullptr;
}

const ::onnx::TypeProto* NodeContext::getInputType(size_t index) const {
  const Value* input = known_input(index);
  return input == nullptr ? nullptr : &input->value_type;
}

const ::onnx::TensorProto* NodeContext::getInputData(size_t index) const {
  if (const auto found = data_.find(index); found != data_.end()) return &found->second;
  const Value* input = known_input(index);
  if (input == nullptr || !input->literal || !input->shape) return nullptr;
  auto value = write_literal(*input->literal, input->type, *input->shape);
  return value ? &data_.emplace(index, std::move(*value)).first->second : nullptr;
}

std::vector<TypeProto> schema_types(const Step& step, const ResolvedDims& bound,
                                    const Operator* known) {
  std::vector<TypeProto> types(step.outputs.size());
  const Node& node = step.node;
  const OpSchema* schema = OpSchemaRegistry::Schema(node.op_type(), node.opset(), node.domain());
  if (schema == nullptr || node.has_subgraph()) return types;
  const bool newer = node.opset() > newest_known_opset(node.domain());
  try {
    check_description(node, *schema);
    check_kinds(step, *schema);
    const NodeView view = inputs_view(step);
    if (known != nullptr && known->check != nullptr) known->check(view);
    if (!inputs_have_types(step) || (newer && !describes(*schema, node))) return types;
    NodeContext context(step);
    if (bound.replaced_batch && node.op_type() == "Reshape") {
      rebatch_reshape(context, step, *bound.replaced_batch, bound.batch);
    }
    if (node.op_type() == "Expand") keep_free_extents(context, step);
    if (node.op_type() == "Range") take_bounds_as_scalars(context, step);
    apply(*schema, context);
    for (std::size_t output = 0; output < types.size(); ++output) {
      types[output] = context.output_type(output);
    }
  } catch (const DescriptionError&) {
    if (!newer) throw;
    types.assign(step.outputs.size(), TypeProto());
  } catch (const std::exception& error) {
    // The schema may be too old for the node: then nothing is known.
    if (!newer) throw Error(one_line(error.what()));
    types.assign(step.outputs.size(), TypeProto());
  }
  return types;
}

}  // namespace benanza::onnx
