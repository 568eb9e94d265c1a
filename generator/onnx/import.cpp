#include "generator/onnx/import.h"

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/infer/assume.h"
#include "generator/onnx/infer/infer.h"
#include "generator/onnx/lower_node.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/program.h"
#include "generator/onnx/read/inline.h"
#include "generator/onnx/read/make_inputs_constant.h"
#include "generator/onnx/read/read.h"

namespace benanza::onnx {
namespace {

std::vector<std::size_t> producers(const Program& program, const Step& step) {
  std::set<std::size_t> layers;
  for (const auto* names : {&step.inputs, &step.captured}) {
    for (const std::string& name : *names) {
      if (name.empty()) continue;
      if (const auto layer = program.tensors.at(name).producer) layers.insert(*layer);
    }
  }
  return {layers.begin(), layers.end()};
}

bool all_outputs_constant(const Program& program, const Step& step) {
  return std::all_of(step.outputs.begin(), step.outputs.end(), [&](const std::string& name) {
    return name.empty() || program.tensors.at(name).constant;
  });
}

std::vector<Read> reads_of(const Program& program, const Step& step) {
  std::vector<Read> reads;
  for (const auto* names : {&step.inputs, &step.captured}) {
    for (const std::string& name : *names) {
      Read& read = reads.emplace_back();
      if (name.empty()) continue;
      const Tensor& tensor = program.tensors.at(name);
      read = {.producer = tensor.producer, .constant = tensor.constant};
    }
  }
  return reads;
}

/// LoweredLayer::uses of every layer.
void count_uses(const Program& program, std::vector<LoweredLayer>& layers) {
  const auto use = [&](std::optional<std::size_t> producer) {
    if (producer) ++layers[*producer].uses;
  };
  for (const LoweredLayer& layer : layers) {
    if (layer.constant) continue;
    for (const Read& read : layer.reads) use(read.producer);
  }
  for (const std::string& name : program.outputs) use(program.tensors.at(name).producer);
}

bool is_weight(const Tensor& tensor) {
  const bool weight_type = is_floating(tensor.type) || type_bytes(tensor.type) == 1;
  // What a shape fills is no weight of the model, if that shape is only assumed.
  return tensor.constant && !tensor.assumption && tensor.shape && weight_type &&
         tensor.type != ::onnx::TensorProto::BOOL;
}

std::int64_t count_parameters(const Program& program) {
  std::set<std::string> weights;
  for (const Step& step : program.steps) {
    if (all_outputs_constant(program, step)) continue;
    for (const std::string& name : step.inputs) {
      if (name.empty()) continue;
      const auto widened = program.widened.find(name);
      const std::string& own = widened == program.widened.end() ? name : widened->second;
      if (is_weight(program.tensors.at(own))) weights.insert(own);
    }
  }
  std::int64_t count = 0;
  for (const std::string& name : weights) count += element_count(*program.tensors.at(name).shape);
  return count;
}

/// The layer of a step, as far as its node tells.
LoweredLayer lower_step(const Program& program, const Step& step, const OperatorTable& operators,
                        const Bound& bound) {
  const NodeView node(step.node, input_tensors(program, step), output_tensors(program, step, true));
  if (!step.misfit.empty()) return unsupported_layer(node, step.misfit);
  try {
    return lower_node(node, operators, all_outputs_constant(program, step));
  } catch (const std::exception& error) {
    if (first_assumption(program, step)) return unsupported_layer(node, misfit(error.what()));
    throw Error(label(program, step.node) + error.what() + advice(bound));
  }
}

}  // namespace

LoweredGraph import_model(::onnx::ModelProto model, const std::string& name, const Binding& binding,
                          const std::string& where) {
  check_model(model, where);
  const Bound bound = bind(model, binding, where);
  make_inputs_constant(model, binding.values, where);
  inline_functions(model, where);
  Program program = make_program(model, where);
  const OperatorTable operators = make_operator_table();
  infer(program, model, bound, operators);

  LoweredGraph graph;
  graph.model = name;
  graph.batch = bound.batch;
  graph.opset = program.opset;
  graph.bound_dims = bound.used_dims;
  for (const std::string& name : program.used_dims) {
    if (binding.dims.contains(name)) graph.bound_dims.insert(name);
  }
  graph.warnings = std::move(program.warnings);
  for (const Step& step : program.steps) {
    LoweredLayer& layer = graph.layers.emplace_back(lower_step(program, step, operators, bound));
    layer.name = step.node.name();
    layer.inputs = producers(program, step);
    layer.reads = reads_of(program, step);
    layer.constant = all_outputs_constant(program, step);
    if (const auto first = first_assumption(program, step)) {
      layer.assumed = to_string(program.assumptions[*first]);
    }
  }
  graph.assumptions = std::move(program.assumptions);
  count_uses(program, graph.layers);
  graph.parameters = count_parameters(program);
  return graph;
}

LoweredGraph import_file(const std::filesystem::path& path, const Binding& binding) {
  return import_model(read_model(path), path.stem().string(), binding, path.string());
}

}  // namespace benanza::onnx
