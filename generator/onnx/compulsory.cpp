#include "generator/onnx/compulsory.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/problem/least_work.h"
#include "generator/onnx/byte_conversions.h"
#include "generator/onnx/control_flow/hidden_weights.h"
#include "generator/onnx/parameters.h"
#include "generator/onnx/read_parts.h"
#include "generator/onnx/read_regions.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

void add(Traffic& traffic, const Tensor& tensor) {
  if (!tensor.shape || tensor.assumption) return;
  const std::int64_t elements = element_count(*tensor.shape);
  if (is_floating(tensor.type)) {
    traffic.elements += elements;
  } else {
    traffic.bytes += (elements * type_bits(tensor.type) + 7) / 8;
  }
}

/// Whether every element of every operand is needed.
bool needs_all(const Problem& problem) {
  for (std::size_t index = 0; index < benanza::inputs(problem).size(); ++index) {
    const Share needed = needed_share(problem, index);
    if (needed.part != needed.of) return false;
  }
  return true;
}

/// Whether every constant of the step is a weight that each run reads.
bool reads_all_constants(const Step& step, const LoweredLayer& layer,
                         const OperatorTable& operators) {
  const auto in_part = [&](const PartRead& part) {
    return part.input < step.inputs.size() && step.inputs[part.input] != nullptr &&
           step.inputs[part.input]->constant;
  };
  if (std::ranges::any_of(layer.reads_parts, in_part)) return false;
  if (layer.cost == Cost::unsupported) {
    const Operator* const known = operators.find(step.node.full_type());
    return known != nullptr && known->reads_all_constants;
  }
  return std::ranges::any_of(layer.calls, [](const Call& call) {
    return call.problem.packed.has_value() && needs_all(call.problem);
  });
}

/// Of experts, for example, only those that tokens choose.
bool reads_in_part(const LoweredLayer& layer, std::size_t input) {
  return std::ranges::find(layer.reads_parts, input, &PartRead::input) != layer.reads_parts.end();
}

void add(Traffic& traffic, const Tensor& tensor, const PartRead& part) {
  Traffic whole;
  add(whole, tensor);
  traffic.elements += whole.elements / part.of * part.least;
  traffic.bytes += whole.bytes / part.of * part.least;
}

/// Caches that grow in their own memory, by what they are then: the model's input, and the elements
/// that stay and that are added.
struct Grown {
  const Value* input = nullptr;
  std::int64_t kept = 0;
  std::int64_t added = 0;
};
std::map<const Value*, Grown> grown_inputs(const Program& program,
                                           const std::vector<LoweredLayer>& layers) {
  std::map<const Value*, Grown> grown;
  for (std::size_t step = 0; step < layers.size(); ++step) {
    for (const Call& call : layers[step].calls) {
      const auto* copy = std::get_if<Copy>(&call.problem.shape);
      if (!call.in_place || !call.into || copy == nullptr) continue;
      const Value* const input =
          program.steps[step].inputs.at(static_cast<std::size_t>(*call.into));
      const auto output = static_cast<std::size_t>(call.output);
      if (input == nullptr || !input->given || !input->shape) continue;
      if (output >= program.steps[step].outputs.size()) continue;
      const std::int64_t added = copy->moved_elements();
      const std::int64_t kept = element_count(*input->shape) - added;
      grown[program.steps[step].outputs[output]] = {input, std::max<std::int64_t>(0, kept), added};
    }
  }
  return grown;
}

/// Whether `value` is one of these outputs of the step.
bool is_output(const Value& value, const Step& step, const std::vector<std::size_t>& places) {
  return std::ranges::any_of(places, [&](std::size_t index) {
    return index < step.outputs.size() && step.outputs[index] == &value;
  });
}

/// The layer that computes `value`, skipping free layers; empty for constants and inputs.
std::optional<std::size_t> maker(const Value& value, const Program& program,
                                 const std::vector<LoweredLayer>& layers) {
  std::optional<std::size_t> layer = value.producer;
  while (layer && layers[*layer].cost == Cost::free) {
    const std::vector<Value*>& inputs = program.steps[*layer].inputs;
    if (layers[*layer].constant || inputs.empty() || inputs.front() == nullptr) return {};
    layer = inputs.front()->producer;
  }
  return layer;
}

/// Adds what is written of an output of the model: only the rows that `layer`, if it makes the
/// output itself, puts beside those that are there.
void add_written(Traffic& traffic, const Value& value, const Step& step,
                 const LoweredLayer& layer) {
  std::int64_t rows = 0;
  for (const Call& call : layer.calls) {
    const auto index = static_cast<std::size_t>(call.output);
    if (!call.in_place || index >= step.outputs.size() || step.outputs[index] != &value) continue;
    const auto* copy = std::get_if<Copy>(&call.problem.shape);
    rows += copy != nullptr ? copy->moved_elements() : element_count(output(call.problem));
  }
  if (rows == 0) return add(traffic, value);
  Tensor written = value;
  written.shape = Dims{std::min(rows, element_count(*value.shape))};
  add(traffic, written);
}

/// What layers write of the model's outputs.
Traffic written_outputs(const Program& program, const std::vector<LoweredLayer>& layers) {
  Traffic outputs;
  for (const auto& [id, value] : program.values) {
    if (!value.is_output || value.constant) continue;
    const auto layer = maker(value, program, layers);
    if (!layer) continue;
    const Step& step = program.steps[*layer];
    const Cost cost = layers[*layer].cost;
    if (is_output(value, step, layers[*layer].unwritten)) continue;
    // What no library call does writes what it says it writes in any case.
    if (cost == Cost::measured || cost == Cost::movement ||
        is_output(value, step, layers[*layer].writes_whole)) {
      add_written(outputs, value, step, layers[*layer]);
    }
  }
  return outputs;
}

/// Stored tensors that the model reads every time; `halves`: those of 16 bits that it widens first.
struct Weights {
  std::set<const Value*> all;
  std::set<const Value*> halves;

  /// Those that `read` shows.
  void add(const Program& program, const Value& read) {
    for (const Value* stored : stored_tensors_and_scales(program, read)) {
      all.insert(stored);
      const int type = stored->type;
      const bool half =
          type == ::onnx::TensorProto::FLOAT16 || type == ::onnx::TensorProto::BFLOAT16;
      if (half && type_bits(read.type) > 16) halves.insert(stored);
    }
  }
};

/// Of those without their zeros, what they hold; where it belongs could be said in few bits.
void add_weight(Traffic& traffic, const Program& program, const Weights& weights,
                const Value& stored) {
  if (!stored.shape || stored.assumption) return;
  constexpr std::int64_t bits_of_half = 16;
  const std::int64_t elements = stored.nonzeros ? *stored.nonzeros : element_count(*stored.shape);
  const std::int64_t bits = stored_bits(program, stored);
  const bool is_widened = bits < type_bits(stored.type) || weights.halves.contains(&stored);
  if (!is_floating(stored.type) || bits < bits_of_half) {
    traffic.bytes += (elements * bits + 7) / 8;
  } else {
    (is_widened && bits == bits_of_half ? traffic.halves : traffic.elements) += elements;
  }
}

std::int64_t read_elements(const Call& call, const Operand& operand) {
  const auto* const copy = std::get_if<Copy>(&call.problem.shape);
  return copy != nullptr ? copy->read_elements() : element_count(operand.dims);
}

/// What calls read of the model's inputs.
struct InputTraffic {
  std::set<const Value*> whole;
  Parts parts;
  ReadRegions regions;

  /// What who reads all of `value`, but for so many elements, reads.
  void add(const Program& program, const std::vector<LoweredLayer>& layers, const Value& value,
           std::int64_t unread = 0) {
    const GivenBehind behind = given_behind(program, layers, value, unread);
    for (const auto& [input, lost] : behind.lost) {
      const std::int64_t all = element_count(*input->shape);
      if (lost == 0) {
        whole.insert(input);
      } else {
        add_part(*input, std::max<std::int64_t>(0, all - lost));
      }
    }
    for (const Value* picked : behind.picked) regions.add_picked(*picked);
  }
  void add_part(const Value& input, std::int64_t seen) {
    onnx::add_part(parts, &input, {.least = seen, .most = seen, .of = element_count(*input.shape)});
  }

  Traffic traffic() const {
    Traffic traffic;
    for (const Value* value : whole) onnx::add(traffic, *value);
    Parts all = parts;
    for (const auto& [value, seen] : regions.counts()) {
      onnx::add_part(all, value, {.least = seen, .most = seen, .of = element_count(*value->shape)});
    }
    for (const auto& [value, part] : all) {
      if (!whole.contains(value)) onnx::add(traffic, *value, part);
    }
    return traffic;
  }
};

/// Adds those of the graph around bodies to `weights`, and those of bodies to `traffic`.
void add_hidden_weights(const Program& program, Weights& weights, Traffic& traffic) {
  for (const Step& step : program.steps) {
    const HiddenWeights hidden = hidden_weights(step);
    for (const Value* value : hidden.outer) weights.add(program, *value);
    for (const Tensor& own : hidden.own) add(traffic, own);
  }
}

/// What the calls of a program's layers read, as far as found.
struct Found {
  InputTraffic inputs;
  Weights weights;
  Parts weight_parts;
  std::map<const Value*, Grown> grown;
};

/// Adds operand `i` of a call of layer `step`.
void add_operand(Found& found, const Program& program, const std::vector<LoweredLayer>& layers,
                 std::size_t step, const Call& call, const Operand& operand, std::size_t i) {
  const Source& source = behind_copies(layers[step], call.operands[i]);
  // A bias can be folded into other constants.
  if (source.kind != Source::Kind::input || i == bias_operand(call.problem)) return;
  const auto index = static_cast<std::size_t>(source.index);
  if (index >= program.steps[step].inputs.size()) return;
  const Value* value = program.steps[step].inputs[index];
  if (value == nullptr || !value->shape) return;
  if (is_product(call.problem)) add_picked(program, *value, found.weight_parts);
  const std::int64_t all = element_count(*value->shape);
  const bool whole = read_elements(call, operand) == all;
  const Share needed = needed_share(call.problem, i);
  if (value->constant) {
    if (!whole || reads_in_part(layers[step], index) || !is_product(call.problem)) return;
    if (operand.role != Role::weights && i != 0) return;
    if (needed.part == needed.of) {
      found.weights.add(program, *value);
    } else {
      add_share(program, *value, needed, found.weight_parts);
    }
  } else if (const auto grown = found.grown.find(value); grown != found.grown.end()) {
    const std::int64_t seen = std::clamp<std::int64_t>(
        element_count(operand.dims) - grown->second.added, 0, grown->second.kept);
    found.inputs.add_part(*grown->second.input, seen);
  } else if (whole && needed.part > 0 && !reads_in_part(layers[step], index)) {
    found.inputs.add(program, layers, *value, all - all / needed.of * needed.part);
  }
}

}  // namespace

Compulsory compulsory(const Program& program, const std::vector<LoweredLayer>& layers,
                      const OperatorTable& operators) {
  Found found{.inputs = {.whole = {},
                         .parts = parts_of_inputs(program, layers),
                         .regions = ReadRegions(program, layers)},
              .weights = {},
              .weight_parts = parts_of_weights(program, layers),
              .grown = grown_inputs(program, layers)};
  for (std::size_t step = 0; step < layers.size(); ++step) {
    if (may_be_empty(program, program.steps[step])) continue;
    if (reads_all_constants(program.steps[step], layers[step], operators)) {
      for (const Value* value : program.steps[step].inputs) {
        if (value != nullptr && value->constant && value->shape) found.weights.add(program, *value);
      }
    }
    for (const std::size_t index : layers[step].reads_whole) {
      const Value* const value = program.steps[step].inputs[index];
      if (value != nullptr) found.inputs.add(program, layers, *value);
    }
    if (layers[step].cost != Cost::measured) continue;
    for (const Call& call : layers[step].calls) {
      const std::vector<Operand> operands = benanza::inputs(call.problem);
      for (std::size_t i = 0; i < operands.size() && i < call.operands.size(); ++i) {
        found.inputs.regions.add_operand(step, call, i);
        add_operand(found, program, layers, step, call, operands[i], i);
      }
    }
  }
  Compulsory result;
  add_hidden_weights(program, found.weights, result.weights);
  result.inputs = found.inputs.traffic();
  for (const Value* value : found.weights.all) {
    add_weight(result.weights, program, found.weights, *value);
  }
  for (const auto& [value, part] : found.weight_parts) {
    if (!found.weights.all.contains(value)) add(result.weights, *value, part);
  }
  result.outputs = written_outputs(program, layers);
  return result;
}

}  // namespace benanza::onnx
