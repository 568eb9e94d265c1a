#include "onnx/infer.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "onnx/context.h"
#include "onnx/rebatch.h"
#include "onnx/site.h"

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

int newest_known_opset() {
  const auto& ranges = OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  return ranges.at("").second;
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

/// Whether the newest schema there is describes a node of a newer opset: it must know every
/// attribute and have room for every input, or it would infer something else.
bool describes(const OpSchema& schema, const Node& node) {
  // Known to change nothing about shapes, or read by inference functions of older schemas.
  constexpr std::array<std::string_view, 2> harmless{"num_outputs", "saturate"};
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
  const Tensor* target = input_tensors(program, step)[1];
  if (target == nullptr || !target->literal || !target->shape) return;
  Literal literal = *target->literal;
  auto* extents = std::get_if<std::vector<std::int64_t>>(&literal);
  if (extents == nullptr) return;
  std::replace(extents->begin(), extents->end(), std::int64_t{-1}, std::int64_t{1});
  if (auto value = write_literal(literal, target->type, *target->shape)) {
    context.replace_data(1, std::move(*value));
  }
}

/// Operators whose outputs differ from run to run.
constexpr std::array<std::string_view, 6> random_operators{"RandomNormal",  "RandomNormalLike",
                                                           "RandomUniform", "RandomUniformLike",
                                                           "Multinomial",   "Bernoulli"};

/// Operators without a schema whose output is like their input.
bool is_elementwise_extra(const Node& node) {
  return node.domain().empty() && node.op_type() == "ImageScaler";
}

class Inference {
 public:
  Inference(Program& program, const onnx::ModelProto& model, const Bound& bound,
            const FoldTable& folds)
      : program_(program), folds_(folds), bound_(bound), newest_known_(newest_known_opset()) {
    for (const auto& value : model.graph().value_info()) stated_[value.name()] = &value.type();
    for (const auto& value : model.graph().output()) stated_[value.name()] = &value.type();
    for (const onnx::FunctionProto& function : model.functions()) {
      functions_[canonical_domain(function.domain()) + ':' + function.name()] = &function;
    }
  }

  void visit(int index) {
    const Step& step = program_.steps[static_cast<std::size_t>(index)];
    std::vector<TypeProto> types = infer_types(step);
    const bool constant = is_constant(step);
    for (std::size_t output = 0; output < step.outputs.size(); ++output) {
      const std::string& name = step.outputs[output];
      if (name.empty()) continue;
      const std::string& stated = step.node.proto().output(static_cast<int>(output));
      fall_back(stated, types[output]);
      Tensor tensor = make_tensor(stated, types[output]);
      if (tensor.shape && !checked_element_count(*tensor.shape)) {
        throw Error("\"" + stated + "\" would be " + join(*tensor.shape, 'x') +
                    ", which is negative or more than 2^40 elements");
      }
      tensor.constant = constant;
      tensor.producer = index;
      program_.tensors[name] = std::move(tensor);
      if (types[output].value_case() != TypeProto::VALUE_NOT_SET) {
        program_.types[name] = std::move(types[output]);
      }
    }
    fold(step);
  }

 private:
  std::vector<TypeProto> infer_types(const Step& step) {
    std::vector<TypeProto> types(step.outputs.size());
    const Node& node = step.node;
    if (is_elementwise_extra(node) && !step.inputs.empty() && !types.empty() &&
        program_.types.contains(step.inputs[0])) {
      types[0] = program_.types.at(step.inputs[0]);
      return types;
    }
    const OpSchema* schema = OpSchemaRegistry::Schema(node.op_type(), node.opset(), node.domain());
    const auto function = functions_.find(node.domain() + ':' + node.op_type());
    if ((schema == nullptr && function == functions_.end()) || node.has_subgraph()) return types;
    const bool newer = node.domain().empty() && node.opset() > newest_known_;
    try {
      if (schema != nullptr && !newer) check_node(node, *schema);
      if (!inputs_have_types(step) || (schema != nullptr && newer && !describes(*schema, node))) {
        return types;
      }
      NodeContext context(program_, step);
      if (bound_.replaced_batch && node.op_type() == "Reshape") {
        rebatch_reshape(context, program_, step, *bound_.replaced_batch, bound_.batch);
      }
      if (node.op_type() == "Expand") keep_free_extents(context, program_, step);
      apply(schema, function == functions_.end() ? nullptr : function->second, context);
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

  /// Runs what describes the operator: the model's own function, the schema's inference, or the
  /// schema's expansion into other operators.
  void apply(const OpSchema* schema, const onnx::FunctionProto* function,
             NodeContext& context) const {
    const auto* registry = OpSchemaRegistry::Instance();
    if (function != nullptr) {
      onnx::shape_inference::InferShapeForFunctionNode(*function, registry, context, {},
                                                       functions_);
    } else if (schema->has_type_and_shape_inference_function()) {
      schema->GetTypeAndShapeInferenceFunction()(context);
    } else if (schema->HasFunction()) {
      onnx::shape_inference::InferShapeForFunctionNode(*schema->GetFunction(), registry, context);
    }
  }

  bool inputs_have_types(const Step& step) const {
    return std::all_of(step.inputs.begin(), step.inputs.end(), [&](const std::string& name) {
      return name.empty() || program_.types.contains(name);
    });
  }

  /// Takes what the model states about `name` where inference left a gap.
  void fall_back(const std::string& name, TypeProto& type) const {
    const auto found = stated_.find(name);
    if (found == stated_.end()) return;
    if (type.value_case() == TypeProto::VALUE_NOT_SET) {
      type = *found->second;
      // Extents stated for another batch would be wrong; the element type stays right.
      if (bound_.replaced_batch && type.has_tensor_type()) {
        type.mutable_tensor_type()->clear_shape();
      }
      return;
    }
    if (bound_.replaced_batch || !type.has_tensor_type() || make_tensor(name, type).shape) return;
    if (make_tensor(name, *found->second).shape) {
      *type.mutable_tensor_type()->mutable_shape() = found->second->tensor_type().shape();
    }
  }

  bool is_constant(const Step& step) const {
    const Node& node = step.node;
    if (node.domain().empty()) {
      if (node.op_type() == "Shape" || node.op_type() == "Size") return true;
      if (std::find(random_operators.begin(), random_operators.end(), node.op_type()) !=
          random_operators.end()) {
        return false;
      }
    } else if (step.inputs.empty()) {
      return false;  // a foreign operator may well read something else
    }
    const auto known = [&](const std::string& name) {
      return name.empty() || program_.tensors.at(name).constant;
    };
    return std::all_of(step.inputs.begin(), step.inputs.end(), known) &&
           std::all_of(step.captured.begin(), step.captured.end(), known);
  }

  void fold(const Step& step) {
    if (!step.node.domain().empty()) return;
    const FoldTable::Entry* entry = folds_.find(step.node.op_type());
    if (entry == nullptr) return;
    const std::vector<const Tensor*> inputs = input_tensors(program_, step);
    const std::vector<const Tensor*> outputs = output_tensors(program_, step, false);
    const auto small = [](const Tensor* tensor) {
      return tensor != nullptr && tensor->shape &&
             checked_element_count(*tensor->shape).value_or(max_literal_elements + 1) <=
                 max_literal_elements;
    };
    const auto valued = [](const Tensor* tensor) {
      return tensor == nullptr || tensor->literal.has_value();
    };
    if (!std::all_of(outputs.begin(), outputs.end(), small)) return;
    if (entry->needs == FoldNeeds::values && !std::all_of(inputs.begin(), inputs.end(), valued)) {
      return;
    }
    try {
      std::vector<Literal> values = entry->function(Site(step.node, inputs, outputs));
      for (std::size_t output = 0; output < values.size(); ++output) {
        Tensor& tensor = program_.tensors.at(step.outputs[output]);
        tensor.literal = std::move(values[output]);
        tensor.constant = true;
      }
    } catch (const NotExpressible&) {
      // The value stays unknown.
    }
  }

  Program& program_;
  const FoldTable& folds_;
  const Bound& bound_;
  const int newest_known_;
  std::unordered_map<std::string, const TypeProto*> stated_;
  onnx::shape_inference::ModelLocalFunctionsMap functions_;
};

}  // namespace

void infer(Program& program, const onnx::ModelProto& model, const Bound& bound,
           const FoldTable& folds) {
  Inference inference(program, model, bound, folds);
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    try {
      inference.visit(static_cast<int>(index));
    } catch (const std::exception& error) {
      throw Error(label(program, program.steps[index].node) + error.what());
    }
  }
}

}  // namespace benanza
