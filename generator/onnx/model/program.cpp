#include "generator/onnx/model/program.h"

#include <functional>
#include <queue>

#include "core/base/error.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/subgraph.h"

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

std::unordered_map<std::string, int> opsets(const ::onnx::ModelProto& model) {
  std::unordered_map<std::string, int> versions;
  for (const auto& import : model.opset_import()) {
    versions[canonical_domain(import.domain())] = static_cast<int>(import.version());
  }
  return versions;
}

/// Gives every tensor a unique name. Some converters assign to the same name repeatedly; reading
/// it, in file order, then refers to the latest assignment.
class UniqueTensors {
 public:
  explicit UniqueTensors(const GraphProto& graph) {
    for (const NodeProto& node : graph.node()) {
      taken_.insert(node.output().begin(), node.output().end());
    }
  }

  std::string read(const std::string& stated) const {
    const auto found = current_.find(stated);
    return found == current_.end() ? stated : found->second;
  }

  std::string write(const std::string& stated) {
    if (stated.empty()) return stated;
    std::string name = stated;
    if (current_.contains(stated)) {
      for (int version = 2; !taken_.insert(name).second; ++version) {
        name = stated + '#' + std::to_string(version);
      }
    }
    current_[stated] = name;
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::unordered_map<std::string, std::string> current_;
};

/// Sorts steps topologically, keeping file order as far as possible.
std::vector<Step> sorted(std::vector<Step> steps, const Program& program) {
  std::unordered_map<const Value*, std::size_t> producers;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    for (const Value* output : steps[index].outputs) {
      if (output == nullptr) continue;
      producers.emplace(output, index);
      if (output->given) {
        throw Error(label(program, steps[index].node) + "makes \"" + output->id +
                    "\", which is an input or initializer already: rename one of them");
      }
    }
  }
  std::vector<std::vector<std::size_t>> readers(steps.size());
  std::vector<std::size_t> missing(steps.size(), 0);
  for (std::size_t index = 0; index < steps.size(); ++index) {
    for (const auto* values : {&steps[index].inputs, &steps[index].captured}) {
      for (const Value* input : *values) {
        if (input == nullptr) continue;
        if (const auto made = producers.find(input); made != producers.end()) {
          readers[made->second].push_back(index);
          ++missing[index];
        } else if (!input->given) {
          throw Error(label(program, steps[index].node) + "reads \"" + input->id +
                      "\", which no node makes and which is no input or initializer");
        }
      }
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (missing[index] == 0) ready.push(index);
  }
  std::vector<Step> order;
  order.reserve(steps.size());
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    for (const std::size_t reader : readers[next]) {
      if (--missing[reader] == 0) ready.push(reader);
    }
    order.push_back(std::move(steps[next]));
  }
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (missing[index] > 0) {
      throw Error(label(program, steps[index].node) +
                  "waits for its own result: the graph has a cycle");
    }
  }
  return order;
}

}  // namespace

std::string label(const Program& program, const Node& node) {
  return program.where + ": node \"" + node.name() + "\" (" + node.full_type() + "): ";
}

::onnx::TypeProto make_type(int element_type, const std::optional<Dims>& shape) {
  ::onnx::TypeProto type;
  if (element_type == 0 && !shape) return type;
  type.mutable_tensor_type()->set_elem_type(element_type);
  if (!shape) return type;
  auto& extents = *type.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t extent : *shape) extents.add_dim()->set_dim_value(extent);
  return type;
}

Tensor make_tensor(std::string name, const ::onnx::TypeProto& type) {
  Tensor tensor;
  tensor.name = std::move(name);
  if (!type.has_tensor_type()) return tensor;
  tensor.type = type.tensor_type().elem_type();
  if (!type.tensor_type().has_shape()) return tensor;
  Dims extents;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    if (!dimension.has_dim_value()) return tensor;
    extents.push_back(dimension.dim_value());
  }
  tensor.shape = std::move(extents);
  return tensor;
}

void mark_consumed(const Step& step) {
  for (const auto* values : {&step.inputs, &step.captured}) {
    for (Value* value : *values) {
      if (value != nullptr) value->consumed = true;
    }
  }
}

Value* Program::value(const std::string& id) {
  if (id.empty()) return nullptr;
  const auto [entry, added] = values.try_emplace(id);
  if (added) entry->second.id = id;
  return &entry->second;
}

std::vector<const Tensor*> input_tensors(const Step& step) {
  return {step.inputs.begin(), step.inputs.end()};
}

std::vector<const Tensor*> output_tensors(const Step& step, bool consumed_only) {
  std::vector<const Tensor*> tensors;
  for (const Value* output : step.outputs) {
    const bool wanted = output != nullptr && (!consumed_only || output->consumed);
    tensors.push_back(wanted ? output : nullptr);
  }
  return tensors;
}

NodeView inputs_view(const Step& step) {
  return {step.node, input_tensors(step), std::vector<const Tensor*>(step.outputs.size(), nullptr)};
}

Program make_program(const ::onnx::ModelProto& model, const std::string& where) {
  check_model(model, where);
  const GraphProto& graph = model.graph();
  Program program;
  program.where = where;
  program.opset = standard_opset(model);
  for (const auto& input : graph.input()) {
    Value* value = program.value(input.name());
    if (value == nullptr) continue;
    static_cast<Tensor&>(*value) = make_tensor(input.name(), input.type());
    value->value_type = input.type();
    value->given = true;
  }
  add_initializers(program, graph, [&](const std::string& name) { return program.value(name); });

  const std::vector<std::string> names = unique_names(graph);
  program.opsets = opsets(model);
  const std::unordered_map<std::string, int>& versions = program.opsets;
  UniqueTensors unique(graph);
  std::vector<Step> steps;
  for (int index = 0; index < graph.node_size(); ++index) {
    const NodeProto& proto = graph.node(index);
    const std::optional<int> version = opset_of(proto, versions);
    Step step{Node(proto, names[static_cast<std::size_t>(index)], version.value_or(0))};
    if (!version && step.node.domain().empty()) {
      throw Error(label(program, step.node) +
                  "the model names no opset for the standard operators: add opset_import");
    }
    for (const std::string& name : proto.input()) {
      step.inputs.push_back(program.value(unique.read(name)));
    }
    for (const std::string& name : captured_names(proto)) {
      step.captured.push_back(program.value(unique.read(name)));
      step.scope[name] = step.captured.back();
    }
    for (const std::string& name : proto.output()) {
      step.outputs.push_back(program.value(unique.write(name)));
    }
    mark_consumed(step);
    steps.push_back(std::move(step));
  }
  program.steps = sorted(std::move(steps), program);

  std::set<const Value*> made;
  for (const Step& step : program.steps) made.insert(step.outputs.begin(), step.outputs.end());
  for (const auto& output : graph.output()) {
    Value* value = program.value(unique.read(output.name()));
    if (value == nullptr || (!made.contains(value) && !value->given)) {
      throw Error(where + ": output \"" + output.name() +
                  "\" is made by no node: the graph is incomplete");
    }
    value->consumed = true;
    value->is_output = true;
  }
  return program;
}

}  // namespace benanza::onnx
