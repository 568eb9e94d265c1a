#include "generator/onnx/control_flow/bodies.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "generator/onnx/model/node_view.h"
#include "generator/onnx/model/subgraph.h"

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::TypeProto;

bool states_everything(const GraphProto& body) {
  return std::ranges::all_of(body.output(), [](const auto& output) {
    return output.type().has_sequence_type() || shape_of(output.type()).has_value();
  });
}

bool defines(const GraphProto& body, const std::string& name) {
  const auto named = [&](const auto& value) { return value.name() == name; };
  return std::ranges::any_of(body.input(), named) ||
         std::ranges::any_of(body.initializer(), named) ||
         std::ranges::any_of(body.node(), [&](const auto& node) {
           return std::ranges::count(node.output(), name) > 0;
         });
}

/// One body of a step whose output types are being inferred.
class Body {
 public:
  Body(const Program& program, const Step& step, const GraphProto& graph, const InferProgram& infer)
      : program_(program), step_(step), graph_(graph), infer_(infer) {}

  /// Types of the outputs if the body is called with `arguments`, and with `values` of these where
  /// they are known.
  std::vector<TypeProto> results(const Arguments& arguments,
                                 const std::vector<std::optional<Literal>>& values = {}) {
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
    for (std::size_t index = 0; index < values.size(); ++index) {
      Value* const value = inner_.value(graph_.input(static_cast<int>(index)).name());
      if (value == nullptr || !values[index]) continue;
      value->literal = values[index];
      value->constant = true;
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

  /// The value of an output in the last inference, if known.
  std::optional<Literal> result(int output) {
    const Value* const value = inner_.value(graph_.output(output).name());
    return value == nullptr || value->assumption ? std::nullopt : value->literal;
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

/// One number, if it is known.
std::optional<std::int64_t> number(const std::optional<Literal>& literal) {
  const auto* const values = literal ? std::get_if<Dims>(&*literal) : nullptr;
  return values == nullptr || values->size() != 1 ? std::nullopt : std::optional(values->front());
}

/// The first round after which the condition that the body computes is false, at most `limit`.
std::optional<std::int64_t> last_round(const Step& loop, const GraphProto& graph, Body& body,
                                       std::int64_t limit) {
  Arguments arguments = loop_arguments(loop);
  if (std::ssize(arguments) != graph.input_size() || graph.output_size() < graph.input_size() - 1) {
    return std::nullopt;
  }
  std::vector<std::optional<Literal>> values{Dims{0}, Dims{1}};
  for (std::size_t index = 2; index < loop.inputs.size(); ++index) {
    const Value* const state = loop.inputs[index];
    values.push_back(state == nullptr || state->assumption ? std::nullopt : state->literal);
  }
  constexpr std::int64_t most_nodes = std::int64_t{1} << 13;
  for (std::int64_t round = 0; round < limit; ++round) {
    if (round * graph.node_size() > most_nodes) {
      throw NotExpressible("runs its body more than " + std::to_string(round) +
                           " times, too often to read every round: hides " +
                           hidden_nodes(loop.node.proto()));
    }
    values[0] = Dims{round};
    const std::vector<TypeProto> types = body.results(arguments, values);
    const auto goes_on = number(body.result(0));
    if (!goes_on) return std::nullopt;
    if (*goes_on == 0) return round + 1;
    for (std::size_t state = 2; state < arguments.size(); ++state) {
      arguments[state] = types[state - 1];
      values[state] = body.result(static_cast<int>(state) - 1);
    }
  }
  return limit;
}

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

std::optional<std::int64_t> computed_rounds(const Program& program, const Step& step,
                                            const InferProgram& infer) {
  const ::onnx::AttributeProto* const body = step.node.find("body");
  constexpr int most_depth = 2;
  if (step.node.full_type() != "Loop" || body == nullptr || !body->has_g()) return std::nullopt;
  if (step.inputs.size() < 2 || program.depth >= most_depth) return std::nullopt;
  const auto known = [&](std::size_t index, std::int64_t omitted) {
    const Value* const value = step.inputs[index];
    if (value == nullptr) return std::optional(omitted);
    return value->assumption ? std::nullopt : number(value->literal);
  };
  const auto limit = known(0, std::numeric_limits<std::int64_t>::max());
  const auto starts = known(1, 1);
  if (!limit || !starts) return std::nullopt;
  if (*limit < 1 || *starts == 0) return 0;
  try {
    Body inner(program, step, body->g(), infer);
    return last_round(step, body->g(), inner, *limit);
  } catch (const NotExpressible&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;  // what is wrong with the body is told elsewhere
  }
}

void state_body_outputs(Program& program, Step& step, bool rebatched, const InferProgram& infer) {
  // The outer loop's retries multiply those of the inner one.
  constexpr int most_depth = 4;
  if (!step.node.has_subgraph() || program.depth >= most_depth) return;
  const ::onnx::NodeProto& proto = step.node.proto();
  std::unique_ptr<::onnx::NodeProto> stating;
  for (int index = 0; index < proto.attribute_size(); ++index) {
    const GraphProto& graph = proto.attribute(index).g();
    if (!proto.attribute(index).has_g() || (states_everything(graph) && !rebatched)) continue;
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
      if ((rebatched || !shape_of(type)) && shape_of(inferred)) type = inferred;
    }
  }
  if (!stating) return;
  step.node = Node(*stating, step.node.name(), step.node.opset());
  program.made.push_back(std::move(stating));
}

}  // namespace benanza::onnx
