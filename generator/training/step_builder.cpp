#include "generator/training/step_builder.h"

#include <algorithm>

#include "core/problem/precision.h"

namespace benanza::training {
namespace {

constexpr std::string_view sum_op = "GradientSum";

Source from_read(std::size_t index) { return {.index = static_cast<int>(index)}; }

}  // namespace

void finish(LoweredLayer& layer) {
  set_work(layer);
  set_inputs(layer);
}

StepBuilder::StepBuilder(std::vector<LoweredLayer> layers) : layers_(std::move(layers)) {
  for (LoweredLayer& layer : layers_) {
    layer.phase = "forward";
    for (const Read& read : layer.reads) {
      last_tensor_ = std::max(last_tensor_, read.tensor);
      if (read.producer) tensors_[{*read.producer, read.output, read.call}] = read.tensor;
    }
  }
  for (const LoweredLayer& layer : layers_) {
    bool trained = false;
    for (const Read& read : layer.reads) {
      trained = trained || (!layer.constant && read.producer && trained_[*read.producer]);
    }
    for (const Call& call : layer.calls) {
      for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
        trained = trained || is_trainable(layers_, layer, call, operand);
      }
    }
    const bool floating = !layer.outputs.empty() && is_float(layer.outputs[0].type);
    trained_.push_back(trained && floating && !layer.constant);
  }
}

bool StepBuilder::is_wanted(const LoweredLayer& layer, const Call& call,
                            std::size_t operand) const {
  const Source& source = call.operands[operand];
  if (source.kind != Source::Kind::input) return false;
  if (is_trainable(layers_, layer, call, operand)) return true;
  const auto place = static_cast<std::size_t>(source.index);
  return place < layer.reads.size() && layer.reads[place].producer &&
         trained_[*layer.reads[place].producer];
}

std::size_t StepBuilder::add_layer(LoweredLayer layer) {
  for (const Read& read : layer.reads) {
    if (read.producer) ++layers_[*read.producer].uses;
  }
  layers_.push_back(std::move(layer));
  return layers_.size() - 1;
}

std::size_t StepBuilder::add_forward(const std::string& name, const std::string& op, Call call,
                                     std::vector<Read> reads) {
  LoweredLayer layer;
  layer.name = name;
  layer.op = op;
  layer.phase = "forward";
  layer.outputs = {{name, "float", output(call.problem)}};
  layer.calls = {std::move(call)};
  layer.reads = std::move(reads);
  finish(layer);
  trained_.push_back(true);
  return add_layer(std::move(layer));
}

Read StepBuilder::given(const Dims& dims) { return {.given = dims, .tensor = ++last_tensor_}; }

Read StepBuilder::made_by(const Place& place) {
  const auto [found, is_new] = tensors_.try_emplace(place, last_tensor_ + 1);
  if (is_new) ++last_tensor_;
  return {
      .producer = place.layer, .output = place.output, .call = place.call, .tensor = found->second};
}

void StepBuilder::reach(std::size_t layer, std::size_t output, Read gradient) {
  arrived_[{layer, output}].push_back(std::move(gradient));
}

Read StepBuilder::sum(const std::string& name, const Dims& dims, const std::vector<Read>& reads) {
  if (reads.size() == 1) return reads.front();
  LoweredLayer layer;
  layer.name = name;
  layer.op = sum_op;
  layer.phase = "backward";
  layer.outputs = {{name, "float", dims}};
  layer.reads = reads;
  for (std::size_t index = 1; index < reads.size(); ++index) {
    const Source before =
        index == 1 ? from_read(0)
                   : Source{.kind = Source::Kind::call, .index = static_cast<int>(index) - 2};
    layer.calls.push_back({.problem = {Binary{.kind = BinaryKind::add, .a = dims, .b = dims}, {}},
                           .operands = {before, from_read(index)}});
  }
  finish(layer);
  return made_by({add_layer(std::move(layer)), 0});
}

void StepBuilder::go_back() {
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    if (layers_[layer].phase != "forward" || !trained_[layer]) continue;
    const std::size_t first = layers_.size();
    back_through(layer);
    for (std::size_t added = first; added < layers_.size(); ++added) {
      if (layers_[added].op != sum_op) gradients_[layer].push_back(added);
    }
  }
}

std::vector<std::size_t> StepBuilder::gradients_of(std::size_t layer) const {
  const auto found = gradients_.find(layer);
  return found == gradients_.end() ? std::vector<std::size_t>{} : found->second;
}

std::int64_t StepBuilder::parameters() const {
  std::int64_t total = 0;
  for (const Trained& parameter : parameters_) total += parameter.elements();
  return total;
}

LoweredLayer StepBuilder::update_layer(const std::string& name, const std::string& op,
                                       std::vector<Read> reads) const {
  LoweredLayer layer;
  layer.name = name;
  layer.op = op;
  layer.phase = "update";
  layer.outputs = {{name, "float", Dims{parameters()}}};
  layer.reads = std::move(reads);
  return layer;
}

Read StepBuilder::add_cast(const std::string& name, const std::string& op, bool widens,
                           std::vector<Read> reads) {
  LoweredLayer layer = update_layer(name, op, std::move(reads));
  layer.precision = "cast";
  layer.calls = {{.problem = {Cast{.input = {1, parameters()}, .widens = widens}, {}},
                  .operands = {from_read(0)}}};
  finish(layer);
  return made_by({add_layer(std::move(layer)), 0});
}

void StepBuilder::add_update(const std::string& op, const std::vector<Problem>& problems,
                             const Traffic& kept) {
  if (parameters_.empty()) return;
  std::vector<Read> complete;
  for (const Trained& parameter : parameters_) complete.push_back(parameter.gradient);
  const Read gradients = add_cast("update.gradients", "Widen", true, std::move(complete));
  LoweredLayer layer = update_layer("update", op, {gradients});
  layer.precision = "fp32";
  layer.compulsory = Compulsory{.inputs = {.bytes = parameters() * element_bytes(Precision::fp32)},
                                .weights = kept,
                                .outputs = kept};
  for (const Problem& problem : problems) {
    Call call{.problem = problem, .operands = {}};
    // Parameters and the optimizer's state are separate tensors.
    for (std::size_t operand = 0; operand < benanza::inputs(problem).size(); ++operand) {
      call.operands.push_back(from_read(layer.reads.size()));
      layer.reads.push_back(given({parameters()}));
    }
    layer.calls.push_back(std::move(call));
  }
  finish(layer);
  const Read weights = made_by({add_layer(std::move(layer)), 0});
  add_cast("update.weights", "Narrow", false, {weights});
}

}  // namespace benanza::training
