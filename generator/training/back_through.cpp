// Backward through one forward layer.

#include <algorithm>

#include "generator/training/step_builder.h"

namespace benanza::training {
namespace {

/// True for a layer without work that gives its first input another name or other extents.
/// The gradient of a part would have to be put back into the whole.
bool reads_a_part(const LoweredLayer& layer) {
  return std::ranges::any_of(layer.calls, [](const Call& call) {
    return std::ranges::any_of(call.operands,
                               [](const Source& source) { return !source.is_whole(); });
  });
}

bool passes_on(const LoweredLayer& layer) {
  return layer.cost == Cost::free && !layer.constant && !layer.reads.empty() &&
         layer.outputs.size() == 1 && is_float(layer.outputs[0].type);
}

}  // namespace

std::vector<StepBuilder::Result> StepBuilder::makers(std::size_t layer, std::size_t output) const {
  const std::vector<Call>& calls = layers_[layer].calls;
  std::vector<Result> found;
  // Several copies may write parts of one output.
  for (std::size_t index = calls.size(); index-- > 0;) {
    const auto first = static_cast<std::size_t>(calls[index].output);
    const bool is_part = std::holds_alternative<Copy>(calls[index].problem.shape);
    const bool writes = output >= first && output < first + results(calls[index].problem).size();
    if (writes && (found.empty() || is_part)) found.push_back({index, output - first});
  }
  return found;
}

std::map<std::size_t, Read> StepBuilder::reached(std::size_t layer) {
  std::map<std::size_t, std::vector<Read>> all;
  for (auto it = arrived_.lower_bound({layer}); it != arrived_.end() && it->first.layer == layer;
       ++it) {
    all[it->first.output] = it->second;
  }
  std::map<std::size_t, Read> sums;
  for (const auto& [output, reads] : all) {
    Dims dims{1};
    const std::vector<Result> made = makers(layer, output);
    const std::vector<Output>& outputs = layers_[layer].outputs;
    if (output < outputs.size()) dims = outputs[output].shape.value_or(dims);
    // A layer's outputs do not include those that nothing reads.
    if (made.size() == 1) {
      const std::vector<Dims> parts = results(layers_[layer].calls[made[0].call].problem);
      if (parts.size() > 1) dims = parts[made[0].part];
    }
    sums[output] = sum(layers_[layer].name + ".gradient_sum", dims, reads);
  }
  return sums;
}

void StepBuilder::back_through(std::size_t layer) {
  LayerGradients gradients{.layer = layer};
  const std::map<std::size_t, Read> all = reached(layer);
  if (all.empty()) return;
  if (passes_on(layers_[layer])) {
    const Read& source = layers_[layer].reads[0];
    if (source.producer && trained_[*source.producer]) {
      reach(*source.producer, source.output, all.begin()->second);
    }
    return;
  }
  const std::size_t calls = layers_[layer].calls.size();
  if (calls == 0 || reads_a_part(layers_[layer])) {
    return add_unsupported(gradients, std::nullopt,
                           "the gradient of " + layers_[layer].op + " is not known",
                           all.begin()->second);
  }
  for (std::size_t call = 0; call < calls; ++call) {
    bool trained = false;
    for (std::size_t operand = 0; operand < layers_[layer].calls[call].operands.size(); ++operand) {
      trained = trained || is_wanted(gradients, call, operand);
    }
    gradients.call_is_trained.push_back(trained);
  }
  for (const auto& [output, gradient] : all) {
    for (const Result& result : makers(layer, output)) {
      gradients.of_results[result].push_back(gradient);
    }
  }
  for (std::size_t call = calls; call-- > 0;) {
    if (gradients.call_is_trained[call]) back_through_call(gradients, call);
  }
}

bool StepBuilder::is_wanted(const LayerGradients& gradients, std::size_t call,
                            std::size_t operand) const {
  const LoweredLayer& layer = layers_[gradients.layer];
  const Source& source = layer.calls[call].operands[operand];
  return is_wanted(layer, layer.calls[call], operand) ||
         (source.kind == Source::Kind::call &&
          gradients.call_is_trained[static_cast<std::size_t>(source.index)]);
}

Read StepBuilder::kept(const LayerGradients& gradients, const WayBack& way,
                       const GradientSource& source) {
  using Kind = GradientSource::Kind;
  const LoweredLayer& forward = layers_[gradients.layer];
  const Call& own = forward.calls[way.call];
  const auto index = static_cast<std::size_t>(source.index);
  switch (source.kind) {
    case Kind::output_gradient:
      return way.arrived[index];
    case Kind::call:
      return made_by({way.made[index], 0});
    case Kind::operand: {
      const Source& operand = own.operands[index];
      const auto place = static_cast<std::size_t>(operand.index);
      if (operand.kind == Source::Kind::input) return forward.reads[place];
      if (operand.kind == Source::Kind::attribute) return {.constant = true};
      return made_by({gradients.layer, 0, place});
    }
    case Kind::result: {
      const bool is_last = way.call + 1 == forward.calls.size();
      if (!is_last) return made_by({gradients.layer, index, way.call});
      return made_by({gradients.layer, static_cast<std::size_t>(own.output) + index});
    }
  }
  return {};
}

void StepBuilder::pass(LayerGradients& gradients, std::size_t call, std::size_t operand,
                       const Read& gradient) {
  const LoweredLayer& layer = layers_[gradients.layer];
  const Call& own = layer.calls[call];
  const Source& source = own.operands[operand];
  const auto place = static_cast<std::size_t>(source.index);
  if (source.kind == Source::Kind::call) {
    gradients.of_results[{place, 0}].push_back(gradient);
    return;
  }
  if (source.kind != Source::Kind::input) return;
  const Read read = layer.reads[place];
  if (is_trainable(layers_, layer, own, operand)) {
    arrive(gradients.layer, Call(own), operand, gradient);
    return;
  }
  if (read.producer && trained_[*read.producer]) reach(*read.producer, read.output, gradient);
}

LoweredLayer StepBuilder::backward_layer(std::size_t forward, const std::string& name) const {
  LoweredLayer layer;
  layer.name = layers_[forward].name + '.' + name;
  layer.op = layers_[forward].op + "Grad";
  layer.phase = "backward";
  return layer;
}

void StepBuilder::add_unsupported(LayerGradients& gradients, std::optional<std::size_t> call,
                                  const std::string& reason, const Read& arrived) {
  LoweredLayer layer = backward_layer(gradients.layer, "gradient");
  layer.cost = Cost::unsupported;
  layer.reason = reason;
  layer.reads = layers_[gradients.layer].reads;
  layer.reads.push_back(arrived);
  layer.outputs = {{layer.name, "float", std::nullopt}};
  finish(layer);
  const Read made = made_by({add_layer(std::move(layer)), 0});
  if (call) {
    const std::size_t operands = layers_[gradients.layer].calls[*call].operands.size();
    for (std::size_t operand = 0; operand < operands; ++operand) {
      pass(gradients, *call, operand, made);
    }
    return;
  }
  const std::vector<Read> reads = layers_[gradients.layer].reads;
  for (const Read& read : reads) {
    if (read.producer && trained_[*read.producer]) reach(*read.producer, read.output, made);
  }
}

bool StepBuilder::join_bias(const LayerGradients& gradients, const GradientCall& filters,
                            const std::vector<Read>& reads) {
  const auto* shape = std::get_if<ConvolutionFilterGradient>(&filters.problem.shape);
  if (shape == nullptr || !gradients.bias) return false;
  LoweredLayer& layer = layers_[*gradients.bias];
  if (layer.calls.size() != 1 || layer.reads[0].tensor != reads[1].tensor) return false;
  layer.name = layers_[gradients.layer].name + ".weight_gradient";
  layer.outputs.push_back({layer.name, "float", shape->output()});
  layer.calls.push_back(
      {.problem = filters.problem,
       .operands = {{.index = static_cast<int>(layer.reads.size())}, {.index = 0}},
       .output = 1});
  layer.reads.push_back(reads[0]);
  layer.whole = Problem{ConvolutionFilterGradient{shape->forward, true}, {}};
  finish(layer);
  if (reads[0].producer) ++layers_[*reads[0].producer].uses;
  return true;
}

std::vector<Source> StepBuilder::operands_of(const LayerGradients& gradients, const WayBack& way,
                                             const GradientCall& one, LoweredLayer& added) {
  std::vector<Source> operands;
  const auto before = static_cast<std::ptrdiff_t>(added.reads.size());
  for (const GradientSource& source : one.operands) {
    const Read read = kept(gradients, way, source);
    const auto known = std::find(added.reads.begin(), added.reads.begin() + before, read);
    const auto place = known - added.reads.begin();
    operands.push_back(
        {.index = static_cast<int>(place < before ? place : std::ssize(added.reads))});
    if (place == before) added.reads.push_back(read);
  }
  return operands;
}

std::size_t StepBuilder::add_outputs(LoweredLayer& added) {
  const std::size_t first = added.outputs.size();
  added.calls.back().output = static_cast<int>(first);
  for (const Dims& part : results(added.calls.back().problem)) {
    const std::size_t index = added.outputs.size();
    added.outputs.push_back(
        {added.name + (index == 0 ? "" : '.' + std::to_string(index)), "float", part});
  }
  return first;
}

void StepBuilder::pass_results(LayerGradients& gradients, const WayBack& way,
                               const GradientCall& one, std::size_t layer, std::size_t first) {
  for (std::size_t part = 0; part < one.of.size(); ++part) {
    if (one.of[part] < 0) continue;
    const auto operand = static_cast<std::size_t>(one.of[part]);
    if (way.wanted[operand]) pass(gradients, way.call, operand, made_by({layer, first + part}));
  }
}

void StepBuilder::add_together(LayerGradients& gradients, WayBack& way, const Gradient& backward) {
  LoweredLayer added = backward_layer(gradients.layer, "gradient");
  std::vector<std::size_t> first;
  for (const GradientCall& one : backward.calls) {
    added.calls.push_back(
        {.problem = one.problem, .operands = operands_of(gradients, way, one, added)});
    first.push_back(add_outputs(added));
  }
  added.whole = backward.whole;
  finish(added);
  const std::size_t layer = add_layer(std::move(added));
  for (std::size_t call = 0; call < backward.calls.size(); ++call) {
    pass_results(gradients, way, backward.calls[call], layer, first[call]);
  }
}

void StepBuilder::add_alone(LayerGradients& gradients, WayBack& way, const GradientCall& one) {
  LoweredLayer added = backward_layer(gradients.layer, one.name);
  added.cost = one.cost;
  const Call& call = layers_[gradients.layer].calls[way.call];
  Call own{.problem = one.problem, .operands = {}};
  if (std::holds_alternative<Copy>(one.problem.shape)) {
    own.from_offset = call.to_offset + one.from_offset;
    own.to_offset = call.from_offset;
    own.is_proxy = call.is_proxy;
  }
  own.operands = operands_of(gradients, way, one, added);
  if (join_bias(gradients, one, added.reads)) {
    way.made.push_back(*gradients.bias);
    pass_results(gradients, way, one, way.made.back(), 1);
    return;
  }
  added.calls = {std::move(own)};
  add_outputs(added);
  finish(added);
  way.made.push_back(add_layer(std::move(added)));
  if (one.name == "bias_gradient") gradients.bias = way.made.back();
  pass_results(gradients, way, one, way.made.back(), 0);
}

void StepBuilder::back_through_call(LayerGradients& gradients, std::size_t index) {
  const Call call = layers_[gradients.layer].calls[index];
  const std::vector<Dims> parts = results(call.problem);
  WayBack way{.call = index, .wanted = {}, .arrived = {}};
  bool is_reached = false;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const auto found = gradients.of_results.find({index, part});
    if (found == gradients.of_results.end()) {
      way.arrived.push_back({.constant = true, .value = 0, .given = parts[part]});
      continue;
    }
    // Further results are more than statistics only in recurrent layers.
    is_reached = is_reached || part == 0 || std::holds_alternative<Recurrent>(call.problem.shape);
    const std::vector<Read> all = found->second;
    way.arrived.push_back(sum(layers_[gradients.layer].name + ".inner_sum", parts[part], all));
  }
  if (!is_reached) return;
  for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
    way.wanted.push_back(is_wanted(gradients, index, operand));
  }
  const Gradient backward = gradient(call, way.wanted);
  if (!backward.unsupported.empty()) {
    return add_unsupported(gradients, index, backward.unsupported, way.arrived[0]);
  }
  if (backward.whole) {
    add_together(gradients, way, backward);
  } else {
    for (const GradientCall& one : backward.calls) add_alone(gradients, way, one);
  }
  for (const int operand : backward.passed) {
    const auto place = static_cast<std::size_t>(operand);
    if (way.wanted[place]) pass(gradients, index, place, way.arrived[0]);
  }
}

}  // namespace benanza::training
