#include "generator/onnx/infer/infer.h"

#include <algorithm>
#include <ranges>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/infer/assume.h"
#include "generator/onnx/infer/rebatch.h"
#include "generator/onnx/infer/schema.h"
#include "generator/onnx/infer/sequence.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {
namespace {

using ::onnx::TypeProto;

std::int64_t count(const Literal& literal) {
  return std::visit([](const auto& values) { return std::ssize(values); }, literal);
}

class Inference {
 public:
  Inference(Program& program, const ::onnx::ModelProto& model, const ResolvedDims& bound,
            const OperatorTable& operators)
      : program_(program), operators_(operators), bound_(bound), open_(program, bound, operators) {
    for (const auto& value : model.graph().value_info()) stated_[value.name()] = &value.type();
    for (const auto& value : model.graph().output()) stated_[value.name()] = &value.type();
  }

  /// The value of an If's condition, if known.
  std::optional<bool> condition(const Step& step) const {
    if (!step.node.domain().empty() || step.node.op_type() != "If" || step.inputs.empty()) {
      return std::nullopt;
    }
    if (step.inputs[0] == nullptr || !step.inputs[0]->literal) return std::nullopt;
    const auto* values = std::get_if<std::vector<std::int64_t>>(&*step.inputs[0]->literal);
    if (values == nullptr || values->size() != 1) return std::nullopt;
    return values->front() != 0;
  }

  void visit(std::size_t index) {
    Step& step = program_.steps[index];
    if (bound_.replaced_batch) {
      widen_constants(program_, step, *bound_.replaced_batch, bound_.batch);
    }
    const bool assumes = first_assumption(step).has_value();
    state_body_outputs(program_, step, bound_.replaced_batch.has_value(),
                       [this](Program& body, const ::onnx::ModelProto& model) {
                         infer(body, model, bound_, operators_);
                       });
    std::vector<TypeProto> types;
    std::optional<std::size_t> assumption;
    try {
      types = infer_types(step);
      state_collected(step, types);
      follow_sequences(step);
      for (std::size_t output = 0; output < step.outputs.size(); ++output) {
        if (step.outputs[output] != nullptr) fall_back(step, output, types[output], assumes);
      }
      assumption = open_.settle(step, types);
    } catch (const FlagError&) {
      throw;
    } catch (const DescriptionError& error) {
      give_up(step, message_of(error), assumes);
      types = stated_types(step);
    } catch (const std::exception& error) {
      blame_choice(step, message_of(error), assumes);
      give_up(step, message_of(error), assumes);
      types = stated_types(step);
    }
    make_outputs(index, types, assumption);
    try {
      fold(step);
    } catch (const std::exception& error) {
      const bool now_assumes = first_assumption(step).has_value();
      blame_choice(step, message_of(error), now_assumes);
      give_up(step, message_of(error), now_assumes);
    }
  }

  /// Makes a step that cannot be read an unsupported layer, which a warning names unless it is
  /// explained.
  void give_up(Step& step, const std::string& error, bool assumes) {
    if (!is_explained(step, assumes)) {
      program_.unreadable.push_back(label(program_, step.node) + error + advice(bound_));
    }
    step.misfit = assumes ? misfit(error) : error;
  }

  /// As give_up(), for a step that visit() has not seen: what the model states of its outputs is
  /// all that is known of them.
  void give_up_unseen(std::size_t index, const std::string& error) {
    Step& step = program_.steps[index];
    give_up(step, error, first_assumption(step).has_value());
    std::vector<TypeProto> types = stated_types(step);
    make_outputs(index, types, std::nullopt);
  }

 private:
  /// Whether an assumption, or the body of a loop, explains why a step cannot be read.
  bool is_explained(const Step& step, bool assumes) const {
    return assumes || step.of_round || program_.depth > 0;
  }

  /// Throws Error if extents that the user chose may be why those of a standard operator do not
  /// fit.
  void blame_choice(const Step& step, const std::string& error, bool assumes) const {
    if (is_explained(step, assumes) || !bound_.is_chosen) return;
    if (step.node.domain().empty() || bound_.replaced_batch) throw Error(error);
  }

  void make_outputs(std::size_t index, std::vector<TypeProto>& types,
                    std::optional<std::size_t> assumption) {
    Step& step = program_.steps[index];
    const auto read = first_assumption(step);
    if (read) assumption = std::min(assumption.value_or(*read), *read);
    const bool constant = is_constant(step);
    for (std::size_t output = 0; output < step.outputs.size(); ++output) {
      Value* value = step.outputs[output];
      if (value == nullptr) continue;
      const std::string& stated = name_of(step, output);
      Tensor tensor = make_tensor(stated, types[output]);
      if (tensor.shape && !checked_element_count(*tensor.shape)) {
        const std::string what = "\"" + stated + "\" would be " + join(*tensor.shape, 'x') +
                                 ", which is negative or more than 2^40 elements";
        blame_choice(step, what, assumption.has_value());
        give_up(step, what, assumption.has_value());
        types[output].mutable_tensor_type()->clear_shape();
        tensor.shape.reset();
      }
      tensor.constant = constant;
      tensor.assumption = assumption;
      tensor.producer = index;
      static_cast<Tensor&>(*value) = std::move(tensor);
      value->value_type = std::move(types[output]);
      if (const auto* const sparse = step.node.find("sparse_value")) {
        value->nonzeros = sparse->sparse_tensor().values().dims_size() == 1
                              ? std::optional(sparse->sparse_tensor().values().dims(0))
                              : std::nullopt;
      }
    }
  }

  /// What the model calls an output: of a body that is read as part of it, what the graph around
  /// the body does.
  static const std::string& name_of(const Step& step, std::size_t output) {
    const Value& value = *step.outputs[output];
    return value.name.empty() ? step.node.proto().output(static_cast<int>(output)) : value.name;
  }

  std::vector<TypeProto> infer_types(const Step& step) const {
    if (!unknown_opset(step.node).empty()) return std::vector<TypeProto>(step.outputs.size());
    const ShapeFunction rule = operators_.shape_function(step.node);
    if (rule == nullptr) {
      return schema_types(step, bound_, operators_.find(step.node.full_type()));
    }
    std::vector<TypeProto> types(step.outputs.size());
    try {
      const auto facts = rule(inputs_view(step));
      for (std::size_t index = 0; index < std::min(types.size(), facts.size()); ++index) {
        types[index] = make_type(facts[index].type, facts[index].shape);
      }
    } catch (const NotExpressible&) {
      // The types stay unset: only the model's value info can supply them.
    }
    return types;
  }

  /// Fills gaps in the inferred type of an output from the model's value info. If both shapes are
  /// known and differ, warns, unless the step depends on assumptions.
  void fall_back(const Step& step, std::size_t output, TypeProto& type, bool assumes) {
    if (step.outputs[output]->inner) return;
    const std::string& name = name_of(step, output);
    const auto found = stated_.find(name);
    if (found == stated_.end()) return;
    // Extents stated for another batch size would be wrong, but for constants.
    const bool is_of_other_batch = bound_.replaced_batch && !is_constant(step);
    if (type.value_case() == TypeProto::VALUE_NOT_SET) {
      type = *found->second;
      if (is_of_other_batch && type.has_tensor_type()) type.mutable_tensor_type()->clear_shape();
      return;
    }
    if (!type.has_tensor_type()) return;
    if (!type.tensor_type().has_shape()) take_rank(*found->second, type);
    if (is_of_other_batch) return;
    const auto stated = make_tensor(name, *found->second).shape;
    if (!stated) return;
    const auto inferred = make_tensor(name, type).shape;
    if (!inferred) {
      *type.mutable_tensor_type()->mutable_shape() = found->second->tensor_type().shape();
    } else if (!bound_.replaced_batch && *inferred != *stated && !assumes &&
               step.node.op_type() != "Constant") {
      // A Constant has its value, whatever is stated beside it.
      program_.warnings.push_back(label(program_, step.node) + "makes \"" + name + "\" of " +
                                  join(*inferred, 'x') + ", where the model states " +
                                  join(*stated, 'x') + ": the former is used");
    }
  }

  /// What the model states of the outputs of a step that cannot be read.
  std::vector<TypeProto> stated_types(const Step& step) {
    std::vector<TypeProto> types(step.outputs.size());
    for (std::size_t output = 0; output < types.size(); ++output) {
      if (step.outputs[output] != nullptr) fall_back(step, output, types[output], true);
    }
    return types;
  }

  /// How many axes the model states, where inference does not know: their extents are then looked
  /// up one by one, and some may stay open.
  static void take_rank(const TypeProto& stated, TypeProto& type) {
    if (!stated.has_tensor_type() || !stated.tensor_type().has_shape()) return;
    auto& shape = *type.mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < stated.tensor_type().shape().dim_size(); ++axis) shape.add_dim();
  }

  bool is_constant(const Step& step) const {
    const Node& node = step.node;
    if (const Operator* known = operators_.find(node.full_type()); known != nullptr) {
      if (known->fold_needs == FoldNeeds::shapes) return true;
      if (known->fold_needs == FoldNeeds::first_value && !step.inputs.empty()) {
        return step.inputs[0] == nullptr || step.inputs[0]->constant;
      }
      if (known->random) return false;
    }
    // A custom operator without inputs may read something else.
    if (!node.domain().empty() && step.inputs.empty()) return false;
    const auto known = [](const Value* value) { return value == nullptr || value->constant; };
    return std::ranges::all_of(step.inputs, known) && std::ranges::all_of(step.captured, known);
  }

  void fold(const Step& step) {
    if (!step.node.domain().empty() || !unknown_opset(step.node).empty()) return;
    std::optional<std::int64_t> known_value = sequence_length(step);
    if (!known_value) known_value = has_element(program_, step);
    if (known_value && step.outputs[0] != nullptr) {
      Tensor& tensor = *step.outputs[0];
      tensor.shape = Dims{};
      tensor.literal = Dims{*known_value};
      tensor.constant = true;
      return;
    }
    const Operator* known = operators_.find(step.node.op_type());
    if (known == nullptr || known->fold == nullptr) return;
    const std::vector<const Tensor*> inputs = input_tensors(step);
    const std::vector<const Tensor*> outputs = output_tensors(step, false);
    const auto small = [](const Tensor* tensor) {
      return tensor != nullptr && tensor->shape &&
             checked_element_count(*tensor->shape).value_or(max_literal_elements + 1) <=
                 max_literal_elements;
    };
    const auto valued = [](const Tensor* tensor) {
      return tensor == nullptr || tensor->literal.has_value();
    };
    if (!std::ranges::all_of(outputs, small)) return;
    const std::size_t needed = known->fold_needs == FoldNeeds::values        ? inputs.size()
                               : known->fold_needs == FoldNeeds::first_value ? 1
                                                                             : 0;
    if (!std::ranges::all_of(inputs | std::views::take(needed), valued)) return;
    if (!affordable({inputs.begin(), inputs.begin() + std::min(needed, inputs.size())}, outputs)) {
      return;
    }
    try {
      std::vector<Literal> values = known->fold(NodeView(step.node, inputs, outputs));
      for (std::size_t output = 0; output < std::min(values.size(), outputs.size()); ++output) {
        Tensor& tensor = *step.outputs[output];
        // Readers of a literal rely on this.
        if (count(values[output]) != element_count(*tensor.shape)) {
          throw Error("\"" + tensor.name + "\" would hold " +
                      std::to_string(count(values[output])) + " values, which do not fill " +
                      join(*tensor.shape, 'x'));
        }
        tensor.literal = std::move(values[output]);
        tensor.constant = true;
      }
    } catch (const NotExpressible&) {
      // The value stays unknown.
    } catch (const std::bad_variant_access&) {
      throw Error("combines whole numbers with others");
    }
  }

  /// Whether folding is worth its cost; `inputs` are those whose values it reads. Shapes depend on
  /// few values, which are always computed; larger tensors (masks, position tables) only up to a
  /// total.
  bool affordable(const std::vector<const Tensor*>& inputs,
                  const std::vector<const Tensor*>& outputs) {
    constexpr std::int64_t few = 4096;
    constexpr std::int64_t most = std::int64_t{1} << 23;
    std::int64_t values = 0;
    for (const auto* tensors : {&inputs, &outputs}) {
      for (const Tensor* tensor : *tensors) {
        if (tensor == nullptr || !tensor->shape) continue;
        if (tensors == &outputs || tensor->literal) values += element_count(*tensor->shape);
      }
    }
    if (values <= few) return true;
    evaluated_ += values;
    return evaluated_ <= most;
  }

  Program& program_;
  std::int64_t evaluated_ = 0;
  const OperatorTable& operators_;
  const ResolvedDims& bound_;
  OpenDimensions open_;
  std::unordered_map<std::string, const TypeProto*> stated_;
};

}  // namespace

void infer(Program& program, const ::onnx::ModelProto& model, const ResolvedDims& bound,
           const OperatorTable& operators) {
  Inference inference(program, model, bound, operators);
  const auto infer_body = [&](Program& body, const ::onnx::ModelProto& graph) {
    infer(body, graph, bound, operators);
  };
  std::vector<Step> waiting = std::move(program.steps);
  program.steps.clear();
  std::ranges::reverse(waiting);
  while (!waiting.empty()) {
    program.steps.push_back(std::move(waiting.back()));
    waiting.pop_back();
    try {
      if (const auto condition = inference.condition(program.steps.back())) {
        std::vector<Step> taken = branch_steps(program, program.steps.back(), *condition);
        const auto assumption = first_assumption(program.steps.back());
        for (Step& step : taken) {
          step.assumption = assumption;
          step.of_round = program.steps.back().of_round;
        }
        program.steps.pop_back();
        std::move(taken.rbegin(), taken.rend(), std::back_inserter(waiting));
      } else {
        std::vector<Step> plain = without_sequences(program, program.steps.back());
        const bool counts = plain.empty();
        if (counts) plain = steps_of_rounds(program, program.steps.back(), infer_body, bound);
        if (plain.empty()) {
          inference.visit(program.steps.size() - 1);
        } else {
          const auto assumption = first_assumption(program.steps.back());
          for (Step& step : plain) {
            step.assumption = assumption;
            step.of_round = counts;
          }
          program.steps.pop_back();
          std::move(plain.rbegin(), plain.rend(), std::back_inserter(waiting));
        }
      }
    } catch (const FlagError& error) {
      throw FlagError(label(program, program.steps.back().node) + error.what());
    } catch (const std::exception& error) {
      if (bound.is_chosen) {
        throw Error(label(program, program.steps.back().node) + message_of(error) + advice(bound));
      }
      inference.give_up_unseen(program.steps.size() - 1, message_of(error));
    }
  }
}

}  // namespace benanza::onnx
