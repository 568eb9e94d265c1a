#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

/// Operators with bodies: If, Loop, Scan.
namespace benanza::onnx {

/// Infers the shapes of a program made from the given model, using its value info.
using InferProgram = std::function<void(Program&, const ::onnx::ModelProto&)>;

/// If bodies of the step's node do not state the shapes of their outputs, or not for this batch
/// (`rebatched`), infers them and replaces the node with a copy that states them. Assumptions made
/// in a body become the program's. Nothing is stated for an invalid body, or for shapes that change
/// from iteration to iteration.
void state_body_outputs(Program& program, Step& step, bool rebatched, const InferProgram& infer);

/// The steps of the branch that an If with a constant condition takes, in file order; they produce
/// the If's outputs. Adds the branch's initializers to the program. Throws Error if the branch is
/// missing, reads an undefined value or has too few outputs.
std::vector<Step> branch_steps(Program& program, const Step& conditional, bool condition);

/// Constants of a body, by their names in it.
using BodyConstants = std::map<std::string, Value*>;

/// The nodes of `owner`'s body `graph`, which runs once with `arguments`, in file order; they make
/// `outputs`, of which null ones are not wanted. Adds the body's initializers to the program,
/// unless `constants` of an earlier round hold them and the results of Constant nodes; else fills
/// these. Throws Error if the body reads an undefined value.
std::vector<Step> body_steps(Program& program, const Step& owner, const ::onnx::GraphProto& graph,
                             const std::vector<Value*>& arguments,
                             const std::vector<Value*>& outputs,
                             BodyConstants* constants = nullptr);
/// Names the values that take the place of the step's outputs as these.
void keep_names(const Step& step);
/// A new value of the program, with an id made of `owner` and `stated`.
Value* new_value(Program& program, const Step& owner, const std::string& stated);

/// How often the body of a Loop runs that computes from constants and shapes alone when to stop.
/// Throws NotExpressible if that takes too many rounds.
std::optional<std::int64_t> computed_rounds(const Program& program, const Step& step,
                                            const InferProgram& infer);

/// The steps of a Loop or Scan whose rounds are known or stated in `bound`, one round after the
/// other; every round of a Scan reads its elements of the sequences. The same for steps_of_map()
/// and steps_of_batch(). Empty for other steps, where there would be too many, and for a body that
/// makes no sense, which becomes the step's misfit. Sets Step::rounds.
std::vector<Step> steps_of_rounds(Program& program, Step& step, const InferProgram& infer,
                                  const ResolvedDims& bound);

/// Sets the types of what a Loop of known rounds collects: the number of rounds is a leading axis.
void state_collected(const Step& step, std::vector<::onnx::TypeProto>& types);

/// The steps of a SequenceMap of sequences of known length: its body's, for each tensor. Empty if
/// the length is unknown or there would be too many. Throws Error for sequences that differ.
std::vector<Step> steps_of_map(Program& program, const Step& step);

/// For a Scan of opset 8: one of opset 9 for each entry of its batch. Empty if the batch is unknown
/// or there would be too many. Throws Error for sequences that are shorter than the input.
std::vector<Step> steps_of_batch(Program& program, const Step& step);

/// The outputs of the body in attribute `name`, as the body declares them; empty if the node has no
/// such body.
std::vector<Tensor> stated_outputs(const NodeView& node, std::string_view name);
std::vector<TensorFacts> body_facts(const NodeView& node, std::string_view body);

/// Types of a body's arguments; not set if unknown.
using Arguments = std::vector<::onnx::TypeProto>;
std::optional<std::int64_t> rounds_of_loop(const Step& step);
std::optional<std::int64_t> rounds_of_scan(const Step& step);
Arguments loop_arguments(const Step& step);
Arguments scan_arguments(const Step& step);

/// Not set for a value that is omitted or of unknown type.
::onnx::TypeProto type_of(const Value* value);
/// Empty if an extent is unknown.
std::optional<Dims> shape_of(const ::onnx::TypeProto& type);

}  // namespace benanza::onnx
