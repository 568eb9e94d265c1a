#include "generator/onnx/schema_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/context.h"

namespace benanza::onnx {
namespace {

using ::onnx::OpSchema;

void check_count(int value, int least, int most, const char* what) {
  if (value < least || value > most) {
    throw Error("has " + std::to_string(value) + ' ' + what + ", but takes " +
                std::to_string(least) + " to " + std::to_string(most));
  }
}

void check_description(const Node& node, const OpSchema& schema) {
  const ::onnx::NodeProto& proto = node.proto();
  check_count(proto.input_size(), schema.min_input(), schema.max_input(), "inputs");
  check_count(proto.output_size(), schema.min_output(), schema.max_output(), "outputs");
  if (schema.min_input() > 0 && proto.input(0).empty()) throw Error("has no first input");
  for (const auto& [name, description] : schema.attributes()) {
    const ::onnx::AttributeProto* attribute = node.find(name);
    if (attribute == nullptr) {
      if (description.required) throw Error("attribute \"" + name + "\" is missing");
    } else if (attribute->type() != ::onnx::AttributeProto::UNDEFINED &&
               attribute->type() != description.type) {
      throw Error("attribute \"" + name + "\" has the wrong type");
    }
  }
}

/// How the names of types begin that are of this kind, "seq(" for one.
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

/// No sequence where a tensor is asked for, and the like. Of elements a schema says too little:
/// models of newer types are common.
void check_kinds(const Program& program, const Step& step, const OpSchema& schema) {
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    const auto found = program.types.find(step.inputs[index]);
    if (found == program.types.end() || schema.inputs().empty()) continue;
    const auto& formal = schema.inputs()[std::min(index, schema.inputs().size() - 1)];
    const auto& types = formal.GetTypes();
    if (std::none_of(types.begin(), types.end(), [&](const std::string* type) {
          return type->starts_with(kind(found->second));
        })) {
      throw Error("takes no input of the kind of \"" + step.inputs[index] + '"');
    }
  }
}

/// In their order: nullptr where there is none.
using Inputs = std::vector<const Tensor*>;

const Tensor* input(const Inputs& inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : nullptr;
}

std::optional<std::size_t> axes(const Inputs& inputs, std::size_t index) {
  const Tensor* tensor = input(inputs, index);
  if (tensor == nullptr || !tensor->shape) return std::nullopt;
  return tensor->shape->size();
}

/// Weights have as many axes as what they slide over, and at least one to slide along.
void check_weights(const Inputs& inputs, std::size_t place) {
  const auto found = axes(inputs, 0);
  const auto weights = axes(inputs, place);
  if (found && *found < 3) {
    throw Error("has an input of " + std::to_string(*found) + " axes, but takes 3 and more");
  }
  if (found && weights && *found != *weights) {
    throw Error("has weights of " + std::to_string(*weights) + " axes for an input of " +
                std::to_string(*found));
  }
}

void check_convolution(const Node&, const Inputs& inputs) { check_weights(inputs, 1); }
void check_quantized(const Node&, const Inputs& inputs) { check_weights(inputs, 3); }

void check_gemm(const Node&, const Inputs& inputs) {
  for (const std::size_t index : {0U, 1U}) {
    if (const auto found = axes(inputs, index); found && *found != 2) {
      throw Error("multiplies a tensor of " + std::to_string(*found) + " axes");
    }
  }
}

void check_normalization(const Node& node, const Inputs& inputs) {
  const auto found = axes(inputs, 0);
  if (!found) return;
  const std::int64_t axis = node.integer("axis", -1);
  const auto most = static_cast<std::int64_t>(*found);
  if (axis < -most || axis >= most) {
    throw Error("normalizes from axis " + std::to_string(axis) + " of " + std::to_string(most));
  }
}

void check_gather(const Node& node, const Inputs& inputs) {
  if (const std::int64_t batch = node.integer("batch_dims", 0); batch < 0) {
    throw Error("has batch_dims of " + std::to_string(batch));
  }
  if (axes(inputs, 1) == 0U) throw Error("has indices without an axis");
}

void check_unpooling(const Node& node, const Inputs& inputs) {
  if (node.proto().input(1).empty()) throw Error("has no indices");
  const auto found = axes(inputs, 0);
  const auto indices = axes(inputs, 1);
  if (found && *found < 3) throw Error("has an input of " + std::to_string(*found) + " axes");
  if (found && indices && *found != *indices) {
    throw Error("has indices of " + std::to_string(*indices) + " axes for an input of " +
                std::to_string(*found));
  }
}

/// The schema makes as many dimensions as the input has elements.
void check_shape_operand(const Node&, const Inputs& inputs) {
  constexpr std::int64_t most_axes = 1024;
  if (axes(inputs, 0).value_or(0) == 0) return;
  if (const std::int64_t made = inputs[0]->shape->front(); made > most_axes) {
    throw Error("makes a tensor of " + std::to_string(made) + " axes");
  }
}

/// The schema divides by their size.
void check_part_size(const Node&, const Inputs& inputs) {
  const Tensor* split = input(inputs, 1);
  if (split == nullptr || !split->literal || axes(inputs, 1) != 0U) return;
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&*split->literal);
  if (sizes != nullptr && sizes->size() == 1 && sizes->front() < 1) {
    throw Error("splits into parts of " + std::to_string(sizes->front()) + " elements");
  }
}

struct Check {
  std::string_view op;
  void (*run)(const Node&, const Inputs&);
};

/// What the onnx package itself does not look at, up to 1.12 at least.
constexpr std::array<Check, 10> checks{{{"Conv", check_convolution},
                                        {"ConvInteger", check_convolution},
                                        {"ConvTranspose", check_convolution},
                                        {"QLinearConv", check_quantized},
                                        {"Gemm", check_gemm},
                                        {"LayerNormalization", check_normalization},
                                        {"GatherND", check_gather},
                                        {"MaxUnpool", check_unpooling},
                                        {"ConstantOfShape", check_shape_operand},
                                        {"SplitToSequence", check_part_size}}};

}  // namespace

void check_node(const Program& program, const Step& step, const OpSchema& schema) {
  check_description(step.node, schema);
  check_kinds(program, step, schema);
  if (!step.node.domain().empty()) return;
  for (const Check& check : checks) {
    if (check.op == step.node.op_type()) check.run(step.node, input_tensors(program, step));
  }
}

}  // namespace benanza::onnx
