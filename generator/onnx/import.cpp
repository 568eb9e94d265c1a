#include "generator/onnx/import.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/caches.h"
#include "generator/onnx/compulsory.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/equal_steps.h"
#include "generator/onnx/infer/assume.h"
#include "generator/onnx/infer/infer.h"
#include "generator/onnx/lower_node.h"
#include "generator/onnx/masks.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/program.h"
#include "generator/onnx/model/subgraph.h"
#include "generator/onnx/operators/shared/experts.h"
#include "generator/onnx/parameters.h"
#include "generator/onnx/quantized_layers.h"
#include "generator/onnx/read/cache_extents.h"
#include "generator/onnx/read/channel_blocks.h"
#include "generator/onnx/read/inline.h"
#include "generator/onnx/read/make_inputs_constant.h"
#include "generator/onnx/read/read.h"
#include "generator/onnx/read/tool_conversions.h"
#include "generator/onnx/stored.h"
#include "generator/onnx/taken_inputs.h"

namespace benanza::onnx {
namespace {

/// Operators whose result depends on the extents of their inputs alone.
constexpr std::string_view of_extents[] = {"Shape", "Size"};

/// The inputs of the model that `value` is computed from, in the order in which they are met.
std::vector<const Value*> inputs_of(const Program& program, const Value& value) {
  std::vector<const Value*> found;
  std::vector<const Value*> open{&value};
  std::set<const Value*> seen{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.constant) continue;
    if (!next.producer) {
      found.push_back(&next);
      continue;
    }
    const Step& step = program.steps[*next.producer];
    if (std::ranges::find(of_extents, step.node.op_type()) != std::end(of_extents)) continue;
    for (const auto* values : {&step.inputs, &step.captured}) {
      for (const Value* read : *values) {
        if (read != nullptr && seen.insert(read).second) open.push_back(read);
      }
    }
  }
  return found;
}

/// Whether somebody would state its values on a command line.
bool is_statable(const Value& input) {
  constexpr std::int64_t most_elements = 16;
  return input.given && input.shape && element_count(*input.shape) <= most_elements;
}

std::string flag(const Value& input, std::string_view value) {
  return "--input " + input.name + '=' + std::string(value);
}

/// For an If whose branch, or a Loop whose length, the model's inputs decide, the flags that choose
/// one, for example "give --input cached=true or --input cached=false"; empty for other steps, and
/// where so many numbers decide that nobody would state them.
std::string advice_of_choice(const Program& program, const Step& step) {
  // A Loop's count and its first condition.
  const std::string op = step.node.full_type();
  const std::size_t deciding = op == "If" ? 1 : op == "Loop" ? 2 : 0;
  std::vector<const Value*> inputs;
  for (std::size_t index = 0; index < std::min(deciding, step.inputs.size()); ++index) {
    if (step.inputs[index] == nullptr) continue;
    for (const Value* input : inputs_of(program, *step.inputs[index])) {
      if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
    }
  }
  if (inputs.empty() ||
      !std::ranges::all_of(inputs, [](const Value* input) { return is_statable(*input); })) {
    return "";
  }
  if (inputs.size() == 1 && inputs[0]->type == ::onnx::TensorProto::BOOL) {
    return "give " + flag(*inputs[0], "true") + " or " + flag(*inputs[0], "false");
  }
  std::string advice = "give";
  for (const Value* input : inputs) advice += ' ' + flag(*input, "VALUE");
  return advice;
}

/// The value of a constant with one element, unless it depends on an assumption.
std::optional<double> only_value(const Tensor& tensor) {
  if (!tensor.constant || !tensor.literal || tensor.assumption) return std::nullopt;
  return std::visit(
      [](const auto& values) -> std::optional<double> {
        if (values.size() != 1) return std::nullopt;
        return static_cast<double>(values.front());
      },
      *tensor.literal);
}

/// Numbers tensors from 1 in the order in which they are first read.
class TensorNumbers {
 public:
  std::size_t of(const Value* value) {
    return numbers_.try_emplace(value, numbers_.size() + 1).first->second;
  }

 private:
  std::unordered_map<const Value*, std::size_t> numbers_;
};

/// Index of `value` among its producer's outputs; 0 if it has no producer.
std::size_t output_of(const Program& program, const Value& value) {
  if (!value.producer) return 0;
  const std::vector<Value*>& outputs = program.steps[*value.producer].outputs;
  const auto found = std::ranges::find(outputs, &value);
  return found == outputs.end() ? 0 : static_cast<std::size_t>(found - outputs.begin());
}

std::vector<Read> reads_of(const Program& program, const Step& step, TensorNumbers& numbers,
                           Masks& masks) {
  std::vector<Read> reads;
  const bool constant = all_outputs_constant(step);
  for (const auto* values : {&step.inputs, &step.captured}) {
    for (const Value* value : *values) {
      reads.push_back(value == nullptr
                          ? Read{}
                          : Read{.producer = value->producer,
                                 .output = output_of(program, *value),
                                 .constant = value->constant,
                                 .value = only_value(*value),
                                 .given = value->producer ? std::nullopt : value->shape,
                                 .tensor = numbers.of(value)});
      if (value == nullptr) continue;
      reads.back().name = value->name;
      reads.back().type = type_name(value->type);
      if (!value->constant) continue;
      if (!constant) {
        reads.back().hides_nothing = masks.hides_nothing(step, reads.size() - 1, *value);
        reads.back().triangle = masks.triangle(step, *value);
        reads.back().largest = masks.largest(step, *value);
      }
      reads.back().learned = masks.is_learned(*value);
      if (value->original != nullptr) reads.back().stored = value->original->shape;
    }
  }
  return reads;
}

/// What the caller reads, in the order of the model's outputs.
std::vector<Read> results_of(const Program& program, const ::onnx::GraphProto& graph,
                             TensorNumbers& numbers) {
  std::vector<Read> results;
  for (const auto& output : graph.output()) {
    const auto found = std::ranges::find_if(program.values, [&](const auto& value) {
      return value.second.is_output && value.second.name == output.name();
    });
    if (found == program.values.end()) continue;
    const Value& value = found->second;
    results.push_back({.producer = value.producer,
                       .output = output_of(program, value),
                       .constant = value.constant,
                       .given = value.producer ? std::nullopt : value.shape,
                       .tensor = numbers.of(&value),
                       .name = value.name,
                       .type = type_name(value.type)});
  }
  return results;
}

/// Sets LoweredLayer::uses of every layer.
void count_uses(const Program& program, std::vector<LoweredLayer>& layers) {
  const auto use = [&](std::optional<std::size_t> producer) {
    if (producer) ++layers[*producer].uses;
  };
  for (const LoweredLayer& layer : layers) {
    if (layer.constant) continue;
    for (const Read& read : layer.reads) use(read.producer);
  }
  for (const auto& [id, value] : program.values) {
    if (value.is_output) use(value.producer);
  }
}

/// Makes layers free whose results nobody reads (a reader of extents alone does not count), then
/// the layers that only those read.
void drop_unread(std::vector<LoweredLayer>& layers) {
  for (std::size_t index = layers.size(); index-- > 0;) {
    LoweredLayer& layer = layers[index];
    // Unsupported layers stay: extents that the data decide are known only after the layer has run.
    if (layer.constant || layer.uses != 0 || layer.cost == Cost::unsupported) continue;
    if (layer.cost != Cost::free) {
      layer.cost = Cost::free;
      layer.reason = "nobody reads its result";
      layer.calls.clear();
      layer.whole.reset();
      layer.problems.clear();
      layer.flops = layer.bytes = 0;
    }
    for (const Read& read : layer.reads) {
      if (read.producer) --layers[*read.producer].uses;
    }
  }
}

/// The layer of a step, without what depends on other steps.
LoweredLayer lower_step(Program& program, const Step& step, const OperatorTable& operators,
                        const ResolvedDims& bound) {
  const NodeView node(step.node, input_tensors(step), output_tensors(step, true));
  if (const std::string unknown = unknown_opset(step.node); !unknown.empty()) {
    return unsupported_layer(node, unknown, operators);
  }
  // What is known of an operator holds for nodes that fit it.
  if (!step.misfit.empty()) return unsupported_layer(node, step.misfit, OperatorTable());
  for (const Value* value : step.inputs) {
    if (value == nullptr || value->type == 0 || type_name(value->type) != "unknown") continue;
    return unsupported_layer(node, "a tensor of the unknown type " + std::to_string(value->type),
                             operators);
  }
  try {
    LoweredLayer layer = lower_node(node, operators, all_outputs_constant(step));
    if (!step.same_as.empty()) {
      layer.op = step.same_op;
      if (layer.cost == Cost::free) layer.reason = "computes the same as " + step.same_as;
    }
    if (layer.cost == Cost::unsupported) {
      const std::string advice = advice_of_choice(program, step);
      if (!advice.empty()) {
        layer.reason += "; an input decides: " + advice;
      } else if (step.node.full_type() == "Loop") {
        layer.reason += "; state how often with --dim " + step.node.name() + ":rounds=N";
      }
      if (step.rounds) {
        layer.reason =
            "runs its body " + std::to_string(*step.rounds) + " times, " +
            (*step.rounds == 0 ? "and collects nothing" : "too often to read every round") +
            ": hides " + hidden_nodes(step.node.proto());
      }
    }
    return layer;
  } catch (const FlagError& error) {
    throw Error(label(program, step.node) + error.what());
  } catch (const std::exception& error) {
    if (first_assumption(step))
      return unsupported_layer(node, misfit(message_of(error)), OperatorTable());
    if (!step.of_round) {
      if (bound.replaced_batch) {
        throw Error(label(program, step.node) + message_of(error) + advice(bound));
      }
      program.unreadable.push_back(label(program, step.node) + message_of(error) + advice(bound));
    }
    return unsupported_layer(node, message_of(error), OperatorTable());
  }
}

/// What the file says for Benanza, under keys that begin with this prefix.
std::map<std::string, std::string> metadata_of(const ::onnx::ModelProto& model) {
  constexpr std::string_view prefix = "benanza.";
  std::map<std::string, std::string> metadata;
  for (const auto& entry : model.metadata_props()) {
    if (entry.key().size() <= prefix.size() || !entry.key().starts_with(prefix)) continue;
    metadata[entry.key().substr(prefix.size())] = entry.value();
  }
  return metadata;
}

/// Makes the model one that the operators here describe.
void prepare(::onnx::ModelProto& model, const Binding& binding, const std::string& where) {
  add_default_imports(model);
  make_inputs_constant(model, binding.values, where);
  state_shared_caches(*model.mutable_graph());
  state_channel_blocks(*model.mutable_graph());
  rename_tool_conversions(model);
}

/// The model's steps, with types; it must outlive them.
Program typed_program(::onnx::ModelProto& model, const Binding& binding, const ResolvedDims& bound,
                      const OperatorTable& operators, const std::string& where) {
  const auto knows = [&](const std::string& domain, const std::string& op) {
    const Operator* known = operators.find(domain.empty() ? op : domain + '.' + op);
    return known != nullptr && known->lower != nullptr;
  };
  std::vector<std::string> unreadable =
      inline_functions(model, where, compositions(operators), knows);
  retype_stored_bytes(model);
  if (!binding.expert_load.empty()) state_expert_load(model, binding.expert_load);
  Program program = make_program(model, where);
  program.unreadable = std::move(unreadable);
  infer(program, model, bound, operators);
  share_equal_steps(program, operators);
  return program;
}

/// Warns of work on floats of 64 bits, which no key says.
void note_doubles(const Program& program, LoweredGraph& graph) {
  std::size_t count = 0;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const std::vector<Value*>& outputs = program.steps[index].outputs;
    const bool is_of_doubles = !outputs.empty() && outputs.front() != nullptr &&
                               outputs.front()->type == ::onnx::TensorProto::DOUBLE;
    if (is_of_doubles && graph.layers[index].cost == Cost::measured) ++count;
  }
  if (count == 0) return;
  graph.warnings.push_back(program.where + ": " + std::to_string(count) +
                           (count == 1 ? " layer computes" : " layers compute") +
                           " in float64, which no suite measures: taken at the run's precision");
}

}  // namespace

LoweredGraph import_model(::onnx::ModelProto model, const std::string& name, const Binding& binding,
                          const std::string& where) {
  check_model(model, where);
  const ResolvedDims bound = bind(model, binding, where);
  std::map<std::string, std::string> metadata = metadata_of(model);
  if (!binding.expert_load.empty()) metadata["expert_load"] = binding.expert_load;
  if (bound.replaced_batch && metadata.contains("batch")) {
    throw Error(where + ": --batch " + std::to_string(bound.batch) +
                ": its metadata say that it was written for batch " + metadata.at("batch") +
                ": leave --batch out, or write the model for that batch");
  }
  prepare(model, binding, where);
  const OperatorTable operators = make_operator_table();
  Program program = typed_program(model, binding, bound, operators, where);
  LoweredGraph graph;
  graph.model = name;
  graph.batch = bound.batch;
  graph.opset = program.opset;
  graph.metadata = metadata;
  graph.bound_dims = bound.used_dims;
  for (const std::string& name : program.used_dims) {
    if (binding.dims.contains(name)) graph.bound_dims.insert(name);
  }
  TensorNumbers numbers;
  Masks masks(program, operators);
  for (const Step& step : program.steps) {
    LoweredLayer& layer = graph.layers.emplace_back(lower_step(program, step, operators, bound));
    layer.name = step.node.name();
    layer.reads = reads_of(program, step, numbers, masks);
    drop_idle_masks(layer);
    set_inputs(layer);
    layer.constant = all_outputs_constant(step);
    if (const auto first = first_assumption(step)) {
      layer.assumed = to_string(program.assumptions[*first]);
    }
  }
  if (!program.unreadable.empty()) program.warnings.push_back(unreadable_warning(program));
  graph.warnings = std::move(program.warnings);
  note_taken_inputs(program, graph);
  graph.results = results_of(program, model.graph(), numbers);
  count_uses(program, graph.layers);
  const bool has_outputs =
      std::ranges::any_of(program.values, [](const auto& value) { return value.second.is_output; });
  if (has_outputs) drop_unread(graph.layers);
  note_doubles(program, graph);
  describe_quantized(program, graph.layers);
  mark_caches(graph.layers);
  const Parameters parameters = count_parameters(program);
  graph.parameters = parameters.count;
  graph.stored_parameters = parameters.stored;
  graph.compulsory = compulsory(program, graph.layers, operators);
  graph.assumptions = std::move(program.assumptions);
  return graph;
}

LoweredGraph import_file(const std::filesystem::path& path, const Binding& binding) {
  return import_model(read_model(path), path.stem().string(), binding, path.string());
}

}  // namespace benanza::onnx
