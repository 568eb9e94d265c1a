#include "generator/training/training.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "generator/fusion/attention.h"
#include "generator/fusion/whole/whole.h"
#include "generator/lowered/lowered.h"
#include "generator/training/step_builder.h"

namespace benanza::training {
namespace {

/// The gradients of queries, keys and values.
constexpr std::size_t most_results = 3;

bool is_done_by_calls(const LoweredLayer& layer) {
  return layer.cost == Cost::measured || layer.cost == Cost::movement;
}

/// The gradients' layers, ascending; empty if one call cannot replace them.
std::vector<std::size_t> backward_layers(const Fusion& forward,
                                         const std::vector<LoweredLayer>& step,
                                         const StepBuilder& builder) {
  std::set<std::size_t> layers;
  for (const std::size_t layer : forward.layers) {
    for (const std::size_t added : builder.gradients_of(layer)) layers.insert(added);
  }
  std::set<std::size_t> results;
  for (std::size_t reader = 0; reader < step.size(); ++reader) {
    if (layers.contains(reader)) continue;
    for (const Read& read : step[reader].reads) {
      if (read.producer && layers.contains(*read.producer)) results.insert(*read.producer);
    }
  }
  const bool is_one_call =
      results.size() <= most_results &&
      std::ranges::all_of(layers, [&](std::size_t layer) { return is_done_by_calls(step[layer]); });
  if (!is_one_call) return {};
  return {layers.begin(), layers.end()};
}

/// Finds attention in the first `forward` layers of a step and its gradients among those that
/// `builder` has added. Each becomes one fusion of two problems, the attention and its gradient:
/// one alone is no way to do the step, because a call for the attention does not store the weights
/// that the layers of the gradient read. Left out where something else reads an intermediate
/// result, such as a trained mask.
std::vector<Fusion> attention_steps(const std::vector<LoweredLayer>& forward,
                                    const std::vector<LoweredLayer>& step,
                                    const StepBuilder& builder) {
  const fusion::Flow flow(forward);
  std::vector<Fusion> fusions;
  for (const auto find : {fusion::attention_layers, fusion::attention_patterns}) {
    for (Fusion& fusion : find(flow)) {
      const std::vector<std::size_t> backward = backward_layers(fusion, step, builder);
      const Problem problem = parse(fusion.problem);
      const auto* const attention = std::get_if<Attention>(&problem.shape);
      if (backward.empty() || attention == nullptr) continue;
      if (attention->soft_cap > 0 || attention->sink) continue;
      fusion.pattern = "attention_step";
      fusion.layers.insert(fusion.layers.end(), backward.begin(), backward.end());
      fusion.also = {key({.shape = AttentionGradient{*attention}, .epilogue = {}})};
      fusion.whole = true;
      fusions.push_back(std::move(fusion));
    }
  }
  return fusions;
}

/// Changes one layer of the forward pass to its training form.
void train(LoweredLayer& layer) {
  layer.whole.reset();
  for (Call& call : layer.calls) {
    if (auto* recurrent = std::get_if<Recurrent>(&call.problem.shape)) recurrent->training = true;
    const auto* inference = std::get_if<BatchNormalization>(&call.problem.shape);
    if (inference == nullptr) continue;
    call.problem.shape = BatchNormalizationTraining{inference->input, inference->epsilon};
    call.operands.resize(3);
  }
  const bool drops = layer.cost == Cost::free && layer.calls.size() == 1 &&
                     std::holds_alternative<Dropout>(layer.calls[0].problem.shape) &&
                     std::get<Dropout>(layer.calls[0].problem.shape).ratio > 0;
  if (drops) {
    layer.cost = Cost::measured;
    layer.reason.clear();
  }
  set_work(layer);
}

std::vector<LoweredLayer> forward(const LoweredGraph& inference) {
  const fusion::Flow flow(inference.layers);
  fusion::Condensed condensed = fusion::condensed(flow, fusion::whole_operators(flow));
  for (std::size_t index = 0; index < condensed.layers.size(); ++index) {
    LoweredLayer& layer = condensed.layers[index];
    if (condensed.originals[index].size() > 1) layer.cost = Cost::measured;
    set_inputs(layer);
    if (layer.cost == Cost::measured || layer.cost == Cost::free) train(layer);
  }
  return std::move(condensed.layers);
}

/// The first layer whose output the caller reads and which depends on trained parameters.
std::optional<std::size_t> first_result(const std::vector<LoweredLayer>& layers,
                                        const StepBuilder& builder) {
  std::vector<int> reads(layers.size(), 0);
  for (const LoweredLayer& layer : layers) {
    if (layer.constant) continue;
    for (const Read& read : layer.reads) {
      if (read.producer) ++reads[*read.producer];
    }
  }
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LoweredLayer& layer = layers[index];
    if (builder.is_trained(index) && layer.uses > reads[index] && layer.outputs[0].shape) {
      return index;
    }
  }
  return std::nullopt;
}

/// Classes are the last axis; for images, axis 1.
std::int64_t class_axis(const Dims& dims) {
  return dims.size() >= 4 ? 1 : static_cast<std::int64_t>(dims.size()) - 1;
}

/// Adds a cross entropy of the layer's result: the logarithm of its softmax, and one value of every
/// row.
void add_loss(StepBuilder& builder, const std::vector<LoweredLayer>& layers, std::size_t result) {
  const LoweredLayer& last = layers[result];
  const Dims dims = *last.outputs[0].shape;
  const bool is_softmax =
      last.calls.size() == 1 && std::holds_alternative<Softmax>(last.calls[0].problem.shape);
  if (is_softmax || dims.empty()) return builder.reach(result, 0, builder.given(dims));
  const Softmax softmax{.input = dims, .axis = class_axis(dims), .logarithm = true};
  const std::size_t loss = builder.add_forward(
      "loss", "LogSoftmax", {.problem = {softmax, {}}, .operands = {{.index = 0}}},
      {{.producer = result, .tensor = builder.given(dims).tensor}});
  builder.reach(loss, 0, builder.given(dims));
}

/// Turns a softmax that ends the model into the loss's log-softmax.
void make_logarithm(LoweredLayer& layer) {
  if (layer.calls.size() != 1) return;
  auto* softmax = std::get_if<Softmax>(&layer.calls[0].problem.shape);
  if (softmax == nullptr) return;
  softmax->logarithm = true;
  train(layer);
}

Step linear(float factor, float term = 0) {
  return Activation{.input = {}, .kind = ActivationKind::linear, .alpha = factor, .beta = term};
}

/// Elementwise calls over all parameters as one row. Optimizers do this in one pass; here it takes
/// as many calls as the libraries need.
std::vector<Problem> update(Optimizer optimizer, std::int64_t count) {
  const Dims all{1, count};
  const Step add = Combine{.kind = CombineKind::add, .y = all};
  constexpr float rate = 1e-3F;
  // factor x + y
  const auto weighted_sum = [&](float factor) -> Problem {
    return {Activation{.input = all, .kind = ActivationKind::linear, .alpha = factor},
            {.steps = {add}}};
  };
  const auto binary = [&](BinaryKind kind, std::vector<Step> steps) -> Problem {
    return {Binary{.kind = kind, .a = all, .b = all}, {.steps = std::move(steps)}};
  };
  if (optimizer == Optimizer::sgd_momentum) {
    constexpr float momentum = 0.9F;
    // v = momentum v + g, w = w - rate v.
    return {weighted_sum(momentum), weighted_sum(-rate)};
  }
  constexpr float beta1 = 0.9F;
  constexpr float beta2 = 0.999F;
  // m = beta1 m + g and v = beta2 v + g g, each with a constant factor that is folded into the
  // rate, s = sqrt(v), w = w - rate m / s. The epsilon added to s is omitted, so this is a lower
  // bound.
  return {weighted_sum(beta1),
          binary(BinaryKind::mul, {}),
          weighted_sum(beta2),
          {Activation{.input = all, .kind = ActivationKind::sqrt}, {}},
          binary(BinaryKind::div, {linear(-rate), add})};
}

}  // namespace

std::string_view to_string(Optimizer optimizer) {
  return optimizer == Optimizer::adam ? "adam" : "sgd";
}

LoweredGraph training_step(const LoweredGraph& inference, Optimizer optimizer) {
  LoweredGraph step = inference;
  step.model = inference.model + "_training";
  std::vector<LoweredLayer> layers = forward(inference);
  const std::optional<std::size_t> result = first_result(layers, StepBuilder(layers));
  if (!result) {
    throw Error(inference.model + ": nothing to train: no output depends on constant weights");
  }
  make_logarithm(layers[*result]);
  StepBuilder builder(layers);
  add_loss(builder, layers, *result);
  builder.go_back();
  const std::int64_t parameters = builder.parameters();
  // Parameters and the optimizer's state are read and written, in fp32 at every precision.
  const std::int64_t kept = parameters * (optimizer == Optimizer::adam ? 3 : 2);
  const Traffic traffic{.bytes = kept * element_bytes(Precision::fp32)};
  builder.add_update(optimizer == Optimizer::adam ? "Adam" : "SGD", update(optimizer, parameters),
                     traffic);
  step.layers = builder.take();
  step.fusions = attention_steps(layers, step.layers, builder);
  step.parameters = parameters;
  step.stored_parameters = {};
  step.compulsory.weights = traffic;
  step.compulsory.outputs = traffic;
  return step;
}

std::int64_t trainable_parameters(const LoweredGraph& step) {
  std::int64_t total = 0;
  for (const LoweredLayer& layer : step.layers) {
    total += std::accumulate(layer.gradients.begin(), layer.gradients.end(), std::int64_t{0});
  }
  return total;
}

}  // namespace benanza::training
