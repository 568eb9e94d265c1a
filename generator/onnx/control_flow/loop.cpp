#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {
namespace {

/// Whether input `index` is omitted or known to be true.
bool is_true(const NodeView& node, std::size_t index) {
  return !node.has_input(index) || (node.input(index).literal && node.scalar(index, 0) != 0);
}

bool is_true(const ::onnx::TensorProto& tensor) {
  if (tensor.data_type() != ::onnx::TensorProto::BOOL) return false;
  const auto literal = read_values(tensor);
  const auto* const values = literal ? std::get_if<std::vector<std::int64_t>>(&*literal) : nullptr;
  return values != nullptr && values->size() == 1 && values->front() != 0;
}

/// Whether the body never stops the loop: it returns its condition input unchanged, or true.
bool goes_on(const ::onnx::GraphProto& body) {
  if (body.input_size() < 2 || body.output_size() < 1) return false;
  std::string condition = body.output(0).name();
  for (int index = body.node_size() - 1; index >= 0; --index) {
    const ::onnx::NodeProto& node = body.node(index);
    if (node.output_size() != 1 || node.output(0) != condition) continue;
    if (node.op_type() == "Constant" && node.attribute_size() == 1) {
      return is_true(node.attribute(0).t());
    }
    if (node.op_type() != "Identity" && node.op_type() != "Cast") return false;
    if (node.input_size() != 1) return false;
    condition = node.input(0);
  }
  for (const auto& tensor : body.initializer()) {
    if (tensor.name() == condition) return is_true(tensor);
  }
  return condition == body.input(1).name();
}

/// Whether it runs as often as its first input, which is known, says.
bool is_counted(const NodeView& node) {
  return node.has_input(0) && node.input(0).literal && is_true(node, 1) &&
         goes_on(node.find("body")->g());
}

/// Loop-carried values keep the shape that the body states; see state_collected() for the others.
std::vector<TensorFacts> loop_shape(const NodeView& node) {
  auto facts = body_facts(node, "body");
  if (facts.empty()) return facts;
  facts.erase(facts.begin());  // the condition
  const std::size_t carried = node.input_count() < 2 ? 0 : node.input_count() - 2;
  for (std::size_t index = carried; index < facts.size(); ++index) facts[index].shape.reset();
  return facts;
}

/// A loop that may stop early has scan outputs of at most one element per iteration.
std::vector<std::optional<MaxShape>> loop_max_shapes(const NodeView& node) {
  if (!node.has_input(0) || !node.input(0).literal) throw NotExpressible("no limit of rounds");
  const Dims limit = node.integers(0);
  if (limit.size() != 1) throw Error("wants one number of rounds");
  const std::int64_t rounds = std::max<std::int64_t>(0, limit[0]);
  const std::vector<Tensor> stated = stated_outputs(node, "body");
  const std::size_t carried = node.input_count() < 2 ? 0 : node.input_count() - 2;
  std::vector<std::optional<MaxShape>> results;
  for (std::size_t index = 1; index < stated.size(); ++index) {  // output 0 is the condition
    auto& result = results.emplace_back();
    if (!stated[index].shape || index <= carried) continue;
    result = MaxShape{stated[index].type, *stated[index].shape, {0}};
    result->shape.insert(result->shape.begin(), rounds);
  }
  return results;
}

}  // namespace

void state_collected(const Step& step, std::vector<::onnx::TypeProto>& types) {
  if (step.node.full_type() != "Loop" || !step.rounds) return;
  const std::vector<Tensor> stated = stated_outputs(inputs_view(step), "body");
  const std::size_t carried = step.inputs.size() < 2 ? 0 : step.inputs.size() - 2;
  for (std::size_t output = carried; output < types.size(); ++output) {
    if (output + 1 >= stated.size() || !stated[output + 1].shape) continue;
    Dims shape = *stated[output + 1].shape;
    shape.insert(shape.begin(), *step.rounds);
    types[output] = make_type(stated[output + 1].type, shape);
  }
}

std::optional<std::int64_t> rounds_of_loop(const Step& step) {
  const NodeView node = inputs_view(step);
  if (!is_counted(node)) return std::nullopt;
  return std::max<std::int64_t>(0, whole(node.scalar(0, 0)));
}

/// The iteration number, the condition and the loop-carried values.
Arguments loop_arguments(const Step& step) {
  Arguments arguments{make_type(::onnx::TensorProto::INT64, Dims{}),
                      make_type(::onnx::TensorProto::BOOL, Dims{})};
  for (std::size_t index = 2; index < step.inputs.size(); ++index) {
    arguments.push_back(type_of(step.inputs[index]));
  }
  return arguments;
}

void register_loop(OperatorTable& table) {
  table.add("Loop", {.shapes = {{loop_shape}}, .max_shapes = loop_max_shapes});
}

}  // namespace benanza::onnx
