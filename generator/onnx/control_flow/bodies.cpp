#include "generator/onnx/control_flow/bodies.h"

#include <algorithm>
#include <map>
#include <memory>

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::TypeProto;

bool states_everything(const GraphProto& body) {
  return std::all_of(body.output().begin(), body.output().end(), [](const auto& output) {
    return output.type().has_sequence_type() || shape_of(output.type()).has_value();
  });
}

bool defines(const GraphProto& body, const std::string& name) {
  const auto named = [&](const auto& value) { return value.name() == name; };
  return std::any_of(body.input().begin(), body.input().end(), named) ||
         std::any_of(body.initializer().begin(), body.initializer().end(), named) ||
         std::any_of(body.node().begin(), body.node().end(), [&](const auto& node) {
           return std::count(node.output().begin(), node.output().end(), name) > 0;
         });
}

/// One body of a step whose output types are being inferred.
class Body {
 public:
  Body(const Program& program, const Step& step, const GraphProto& graph, const InferProgram& infer)
      : program_(program), step_(step), graph_(graph), infer_(infer) {}

  /// Types of the outputs if the body is called with `arguments`.
  std::vector<TypeProto> results(const Arguments& arguments) {
    ::onnx::ModelProto model;
    for (const auto& [domain, version] : program_.opsets) {
      auto& import = *model.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
    GraphProto& graph = *model.mutable_graph();
    graph = graph_;
    for (int index = 0; index < graph.input_size(); ++index) {
      const auto place = static_cast<std::size_t>(index);
      if (place < arguments.size()) *graph.mutable_input(index)->mutable_type() = arguments[place];
    }
    std::map<std::string, Value*> captured = step_.scope;
    std::erase_if(captured, [&](const auto& entry) { return defines(graph_, entry.first); });
    for (const auto& [stated, value] : captured) {
      auto& input = *graph.add_input();
      input.set_name(stated);
      *input.mutable_type() = type_of(value);
    }
    inner_ = make_program(model, program_.where);
    inner_.depth = program_.depth + 1;
    inner_.unrolled = program_.unrolled;
    inner_.assumptions = program_.assumptions;
    for (const auto& [stated, value] : captured) {
      Tensor& tensor = *inner_.value(stated);
      tensor = *value;
      tensor.producer.reset();
    }
    infer_(inner_, model);
    std::vector<TypeProto> types;
    for (const auto& output : graph_.output()) {
      types.push_back(type_of(inner_.value(output.name())));
    }
    return types;
  }

  /// As results(), for a body whose output `index + 1` is argument `index + 2` of the next
  /// iteration. States whose shape changes get none. Empty if the shapes do not settle.
  std::vector<TypeProto> settled_results(Arguments arguments) {
    constexpr int most_tries = 4;
    for (int tries = 0; tries < most_tries; ++tries) {
      std::vector<TypeProto> types = results(arguments);
      bool same = true;
      for (std::size_t state = 2; state < arguments.size() && state - 1 < types.size(); ++state) {
        if (!arguments[state].has_tensor_type()) continue;
        const auto before = shape_of(arguments[state]);
        if (!before || before == shape_of(types[state - 1])) continue;
        arguments[state].mutable_tensor_type()->clear_shape();
        same = false;
      }
      if (same) return types;
    }
    return {};
  }

  /// The body after the last inference.
  Program& inner() { return inner_; }

 private:
  const Program& program_;
  const Step& step_;
  const GraphProto& graph_;
  const InferProgram& infer_;
  Program inner_;
};

/// Empty if it is unknown how the operator calls its body.
std::vector<TypeProto> body_types(const Step& step, Body& body) {
  const std::string op = step.node.full_type();
  if (op == "If") return body.results({});
  if (op == "Loop") return body.settled_results(loop_arguments(step));
  if (op == "Scan" && step.node.opset() >= 9) return body.results(scan_arguments(step));
  return {};
}

}  // namespace

std::vector<Tensor> stated_outputs(const NodeView& node, std::string_view name) {
  const ::onnx::AttributeProto* attribute = node.find(name);
  if (attribute == nullptr || !attribute->has_g()) return {};
  std::vector<Tensor> outputs;
  for (const auto& output : attribute->g().output()) {
    outputs.push_back(make_tensor(output.name(), output.type()));
  }
  return outputs;
}

std::vector<TensorFacts> body_facts(const NodeView& node, std::string_view body) {
  std::vector<TensorFacts> facts;
  for (const Tensor& output : stated_outputs(node, body)) {
    facts.push_back({output.type, output.shape});
  }
  return facts;
}

TypeProto type_of(const Value* value) { return value == nullptr ? TypeProto() : value->value_type; }

std::optional<Dims> shape_of(const TypeProto& type) { return make_tensor("", type).shape; }

void state_body_outputs(Program& program, Step& step, const InferProgram& infer) {
  // The outer loop's retries multiply those of the inner one.
  constexpr int most_depth = 4;
  if (!step.node.has_subgraph() || program.depth >= most_depth) return;
  const ::onnx::NodeProto& proto = step.node.proto();
  std::unique_ptr<::onnx::NodeProto> stating;
  for (int index = 0; index < proto.attribute_size(); ++index) {
    const GraphProto& graph = proto.attribute(index).g();
    if (!proto.attribute(index).has_g() || states_everything(graph)) continue;
    Body body(program, step, graph, infer);
    std::vector<TypeProto> types;
    try {
      types = body_types(step, body);
    } catch (const std::exception&) {
      continue;  // the layer stays unsupported, its shapes unknown
    }
    if (types.empty()) continue;
    const std::size_t before = program.assumptions.size();
    program.assumptions = std::move(body.inner().assumptions);
    program.used_dims.merge(body.inner().used_dims);
    if (program.assumptions.size() > before) {
      step.assumption = std::min(step.assumption.value_or(before), before);
    }
    if (!stating) stating = std::make_unique<::onnx::NodeProto>(proto);
    GraphProto& stated = *stating->mutable_attribute(index)->mutable_g();
    for (int output = 0; output < stated.output_size(); ++output) {
      TypeProto& type = *stated.mutable_output(output)->mutable_type();
      const TypeProto& inferred = types[static_cast<std::size_t>(output)];
      if (!shape_of(type) && shape_of(inferred)) type = inferred;
    }
  }
  if (!stating) return;
  step.node = Node(*stating, step.node.name(), step.node.opset());
  program.made.push_back(std::move(stating));
}

}  // namespace benanza::onnx
