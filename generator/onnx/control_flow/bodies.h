#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"

/// Operators with bodies: If, Loop, Scan.
namespace benanza::onnx {

/// Shapes of a program, which a model was made for; the latter's statements count.
using InferProgram = std::function<void(Program&, const ::onnx::ModelProto&)>;

/// Where bodies of the step's node do not state the shapes of what they make, runs inference over
/// the bodies and lets the step's node state them. What is assumed inside becomes the program's. A
/// body that makes no sense, or whose shapes change from round to round, states nothing.
void state_body_outputs(Program& program, Step& step, const InferProgram& infer);

/// The steps of the branch that an If with a constant condition takes, in the order of the file;
/// they make what the If makes. Adds what the branch stores to the program. Throws Error if the
/// branch reads what is not there, or makes too little.
std::vector<Step> branch_steps(Program& program, const Step& conditional, bool condition);

/// The outputs of the body in attribute `name`, as the body declares them; empty if the node has no
/// such body.
std::vector<Tensor> stated_outputs(const NodeView& node, std::string_view name);
std::vector<TensorFacts> body_facts(const NodeView& node, std::string_view body);

/// Types of what a body is called with; empty where nothing is known.
using Arguments = std::vector<::onnx::TypeProto>;
Arguments loop_arguments(const Step& step);
Arguments scan_arguments(const Step& step);

/// Not set for a value that is left out or of which nothing is known.
::onnx::TypeProto type_of(const Value* value);
/// Empty if an extent is not known.
std::optional<Dims> shape_of(const ::onnx::TypeProto& type);

}  // namespace benanza::onnx
