#include "generator/training/step_builder.h"

#include <algorithm>

namespace benanza::training {
namespace {

bool is_float(const std::string& type) {
  return type == "float" || type == "float16" || type == "bfloat16" || type == "double";
}

/// A layer without work that gives its first input another name or other extents.
bool passes_on(const LoweredLayer& layer) {
  return layer.cost == Cost::free && !layer.constant && !layer.reads.empty() &&
         layer.outputs.size() == 1 && is_float(layer.outputs[0].type);
}

/// One axis at most is longer than 1, and one is.
bool is_vector(const Dims& dims) {
  return std::count_if(dims.begin(), dims.end(), [](std::int64_t extent) { return extent > 1; }) ==
         1;
}

/// Which operands of a call are trained where they are constants.
struct IsParameter {
  std::size_t operand;

  bool operator()(const Convolution&) const { return operand == 1; }
  bool operator()(const Deconvolution&) const { return operand == 1; }
  bool operator()(const Gemm&) const { return operand == 1; }
  bool operator()(const BatchNormalizationTraining&) const { return operand > 0; }
  bool operator()(const LayerNormalization&) const { return operand > 0; }
  bool operator()(const InstanceNormalization&) const { return operand > 0; }
  bool operator()(const Recurrent& shape) const {
    return shape.inputs()[operand].role == Role::weights;
  }
  bool operator()(const Binary& shape) const {
    const bool scales_or_shifts = shape.kind == BinaryKind::add || shape.kind == BinaryKind::mul ||
                                  shape.kind == BinaryKind::prelu;
    return scales_or_shifts && is_vector(operand == 0 ? shape.a : shape.b);
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

/// A layer whose calls and reads are known.
void finish(LoweredLayer& layer) {
  set_work(layer);
  set_inputs(layer);
}

Source from_read(std::size_t index) { return {.index = static_cast<int>(index)}; }

}  // namespace

StepBuilder::StepBuilder(std::vector<LoweredLayer> layers) : layers_(std::move(layers)) {
  for (LoweredLayer& layer : layers_) {
    layer.phase = "forward";
    for (const Read& read : layer.reads) {
      last_tensor_ = std::max(last_tensor_, read.tensor);
      if (read.producer) tensors_[{*read.producer, read.output}] = read.tensor;
    }
  }
  for (const LoweredLayer& layer : layers_) {
    bool trained = false;
    for (const Read& read : layer.reads) {
      trained = trained || (!layer.constant && read.producer && trained_[*read.producer]);
    }
    for (const Call& call : layer.calls) {
      for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
        trained = trained || is_trainable(layer, call, operand);
      }
    }
    const bool floating = !layer.outputs.empty() && is_float(layer.outputs[0].type);
    trained_.push_back(trained && floating && !layer.constant);
  }
}

std::optional<Dims> StepBuilder::extents(const Read& read) const {
  if (!read.producer) return read.given;
  const std::vector<Output>& outputs = layers_[*read.producer].outputs;
  return read.output < outputs.size() ? outputs[read.output].shape : std::nullopt;
}

std::size_t StepBuilder::original(const Read& read) const {
  const Read* current = &read;
  while (current->producer) {
    const LoweredLayer& maker = layers_[*current->producer];
    const bool moves = maker.op == "Transpose" || maker.op == "Identity" || maker.op == "Cast" ||
                       maker.op == "Reshape";
    if (!moves || maker.reads.empty() || !maker.reads[0].constant) break;
    current = maker.reads.data();
  }
  return current->tensor;
}

bool StepBuilder::is_trainable(const LoweredLayer& layer, const Call& call,
                               std::size_t operand) const {
  const Source& source = call.operands[operand];
  if (source.kind != Source::Kind::input || layer.constant) return false;
  const auto place = static_cast<std::size_t>(source.index);
  if (place >= layer.reads.size() || !layer.reads[place].constant) return false;
  if (layer.reads[place].value) return false;
  // Rows of a table that the data choose.
  if (call.is_proxy && operand == 0) {
    const auto table = extents(layer.reads[place]);
    return table && table->size() == 2 && !layer.outputs.empty() && is_float(layer.outputs[0].type);
  }
  return std::visit(IsParameter{operand}, call.problem.shape);
}

bool StepBuilder::is_wanted(const LoweredLayer& layer, const Call& call,
                            std::size_t operand) const {
  const Source& source = call.operands[operand];
  if (source.kind != Source::Kind::input) return false;
  if (is_trainable(layer, call, operand)) return true;
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

Read StepBuilder::made_by(std::size_t layer, std::size_t output) {
  const auto [found, is_new] = tensors_.try_emplace({layer, output}, last_tensor_ + 1);
  if (is_new) ++last_tensor_;
  return {.producer = layer, .output = output, .tensor = found->second};
}

void StepBuilder::reach(std::size_t layer, std::size_t output, Read gradient) {
  arrived_[{layer, output}].push_back(std::move(gradient));
}

Read StepBuilder::sum(const std::string& name, const Dims& dims, const std::vector<Read>& reads) {
  if (reads.size() == 1) return reads.front();
  LoweredLayer layer;
  layer.name = name;
  layer.op = "GradientSum";
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
  return made_by(add_layer(std::move(layer)), 0);
}

void StepBuilder::go_back() {
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    if (layers_[layer].phase != "forward" || !trained_[layer]) continue;
    back_through(layer);
  }
}

void StepBuilder::back_through(std::size_t layer) {
  LayerGradients gradients{.layer = layer, .call_is_trained = {}, .of_calls = {}};
  std::map<std::size_t, Read> reached;
  for (std::size_t index = 0; index < layers_[layer].outputs.size(); ++index) {
    const auto found = arrived_.find({layer, index});
    if (found == arrived_.end()) continue;
    const std::vector<Read> all = found->second;
    const Dims dims = layers_[layer].outputs[index].shape.value_or(Dims{1});
    reached[index] = sum(layers_[layer].name + ".gradient_sum", dims, all);
  }
  if (reached.empty()) return;
  if (passes_on(layers_[layer])) {
    const Read& source = layers_[layer].reads[0];
    if (source.producer && trained_[*source.producer]) {
      reach(*source.producer, source.output, reached.begin()->second);
    }
    return;
  }
  if (layers_[layer].calls.empty()) {
    add_unsupported(gradients, -1, "the gradient of " + layers_[layer].op + " is not known",
                    reached.begin()->second);
    return;
  }
  const std::vector<Call> calls = layers_[layer].calls;
  for (const Call& call : calls) {
    bool trained = false;
    for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
      const Source& source = call.operands[operand];
      trained = trained || is_wanted(layers_[layer], call, operand) ||
                (source.kind == Source::Kind::call &&
                 gradients.call_is_trained[static_cast<std::size_t>(source.index)]);
    }
    gradients.call_is_trained.push_back(trained);
  }
  for (auto& [output, gradient] : reached) {
    // Several copies may write parts of one output: each reads its part of the gradient.
    bool is_last = true;
    for (std::size_t index = calls.size(); index-- > 0;) {
      const auto writes = static_cast<std::size_t>(calls[index].output);
      const bool is_part = std::holds_alternative<Copy>(calls[index].problem.shape);
      if (writes != output || !(is_last || is_part)) continue;
      gradients.of_calls[static_cast<int>(index)].push_back(gradient);
      is_last = false;
    }
  }
  for (std::size_t index = calls.size(); index-- > 0;) {
    if (gradients.call_is_trained[index]) back_through_call(gradients, static_cast<int>(index));
  }
}

Read StepBuilder::kept(std::size_t layer, int call, const GradientSource& source,
                       const Read& arrived, const std::vector<std::size_t>& made) {
  using Kind = GradientSource::Kind;
  const LoweredLayer& forward = layers_[layer];
  const Call& own = forward.calls[static_cast<std::size_t>(call)];
  switch (source.kind) {
    case Kind::output_gradient:
      return arrived;
    case Kind::call:
      return made_by(made[static_cast<std::size_t>(source.index)], 0);
    case Kind::operand: {
      const Source& operand = own.operands[static_cast<std::size_t>(source.index)];
      if (operand.kind == Source::Kind::input) {
        return forward.reads[static_cast<std::size_t>(operand.index)];
      }
      if (operand.kind == Source::Kind::attribute) return {.constant = true};
      // Inner results are further outputs of the layer.
      return made_by(layer, 1000 + static_cast<std::size_t>(operand.index));
    }
    case Kind::result: {
      const bool is_last = static_cast<std::size_t>(call) + 1 == forward.calls.size();
      if (is_last) return made_by(layer, static_cast<std::size_t>(own.output + source.index));
      return made_by(layer, 1000 + static_cast<std::size_t>(call));
    }
  }
  return {};
}

void StepBuilder::pass(LayerGradients& gradients, int call, int operand, const Read& gradient) {
  const LoweredLayer& layer = layers_[gradients.layer];
  const Call& own = layer.calls[static_cast<std::size_t>(call)];
  const Source& source = own.operands[static_cast<std::size_t>(operand)];
  if (source.kind == Source::Kind::call) {
    gradients.of_calls[source.index].push_back(gradient);
    return;
  }
  if (source.kind != Source::Kind::input) return;
  const Read read = layer.reads[static_cast<std::size_t>(source.index)];
  if (is_trainable(layer, own, static_cast<std::size_t>(operand))) {
    const Dims dims = benanza::inputs(own.problem)[static_cast<std::size_t>(operand)].dims;
    const std::int64_t elements = element_count(own.is_proxy ? extents(read).value_or(dims) : dims);
    const bool is_new = parameters_.try_emplace(original(read), elements).second;
    if (is_new && gradient.producer) layers_[*gradient.producer].gradient_elements += elements;
    parameter_gradients_.push_back(gradient);
    return;
  }
  if (read.producer && trained_[*read.producer]) reach(*read.producer, read.output, gradient);
}

void StepBuilder::add_unsupported(LayerGradients& gradients, int call, const std::string& reason,
                                  const Read& arrived) {
  LoweredLayer layer;
  const LoweredLayer& forward = layers_[gradients.layer];
  layer.name = forward.name + ".gradient";
  layer.op = forward.op + "Grad";
  layer.phase = "backward";
  layer.cost = Cost::unsupported;
  layer.reason = reason;
  layer.reads = forward.reads;
  layer.reads.push_back(arrived);
  layer.outputs = {{layer.name, "float", std::nullopt}};
  finish(layer);
  const Read made = made_by(add_layer(std::move(layer)), 0);
  if (call >= 0) {
    const auto operands = layers_[gradients.layer].calls[static_cast<std::size_t>(call)].operands;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      pass(gradients, call, static_cast<int>(operand), made);
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
  layer.calls.push_back({.problem = filters.problem,
                         .operands = {from_read(layer.reads.size()), from_read(0)},
                         .output = 1});
  layer.reads.push_back(reads[0]);
  layer.whole = Problem{ConvolutionFilterGradient{shape->forward, true}, {}};
  finish(layer);
  if (reads[0].producer) ++layers_[*reads[0].producer].uses;
  return true;
}

void StepBuilder::back_through_call(LayerGradients& gradients, int index) {
  const auto found = gradients.of_calls.find(index);
  if (found == gradients.of_calls.end()) return;
  const std::size_t layer = gradients.layer;
  const Call call = layers_[layer].calls[static_cast<std::size_t>(index)];
  const std::string name = layers_[layer].name;
  const std::string op = layers_[layer].op + "Grad";
  const std::vector<Read> all = found->second;
  const Read arrived = sum(name + ".inner_sum", output(call.problem), all);
  std::vector<bool> wanted;
  for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
    const Source& source = call.operands[operand];
    wanted.push_back(is_wanted(layers_[layer], call, operand) ||
                     (source.kind == Source::Kind::call &&
                      gradients.call_is_trained[static_cast<std::size_t>(source.index)]));
  }
  Gradient backward = gradient(call, wanted);
  if (!backward.unsupported.empty()) {
    return add_unsupported(gradients, index, backward.unsupported, arrived);
  }
  std::vector<std::size_t> made;
  for (GradientCall& one : backward.calls) {
    LoweredLayer added;
    added.name = name + '.' + one.name;
    added.op = op;
    added.phase = "backward";
    added.cost = one.cost;
    Call own{.problem = one.problem, .operands = {}};
    if (std::holds_alternative<Copy>(one.problem.shape)) {
      own.from_offset = call.to_offset + one.from_offset;
      own.to_offset = call.from_offset;
      own.is_proxy = call.is_proxy;
    }
    for (const GradientSource& source : one.operands) {
      own.operands.push_back(from_read(added.reads.size()));
      added.reads.push_back(kept(layer, index, source, arrived, made));
    }
    if (join_bias(gradients, one, added.reads)) {
      made.push_back(*gradients.bias);
      pass(gradients, index, one.of.front(), made_by(made.back(), 1));
      continue;
    }
    added.calls = {std::move(own)};
    const std::vector<Dims> parts = results(one.problem);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      added.outputs.push_back(
          {added.name + (part == 0 ? "" : '.' + std::to_string(part)), "float", parts[part]});
    }
    finish(added);
    made.push_back(add_layer(std::move(added)));
    if (one.name == "bias_gradient") gradients.bias = made.back();
    for (std::size_t part = 0; part < one.of.size(); ++part) {
      const int operand = one.of[part];
      if (operand < 0 || !wanted[static_cast<std::size_t>(operand)]) continue;
      pass(gradients, index, operand, made_by(made.back(), part));
    }
  }
  for (const int operand : backward.passed) {
    if (wanted[static_cast<std::size_t>(operand)]) pass(gradients, index, operand, arrived);
  }
}

std::int64_t StepBuilder::parameters() const {
  std::int64_t total = 0;
  for (const auto& [tensor, elements] : parameters_) total += elements;
  return total;
}

void StepBuilder::add_update(const std::string& op, const std::vector<Problem>& problems) {
  if (parameters_.empty()) return;
  LoweredLayer layer;
  layer.name = "update";
  layer.op = op;
  layer.phase = "update";
  layer.outputs = {{"parameters", "float", Dims{parameters()}}};
  layer.reads = parameter_gradients_;
  for (const Problem& problem : problems) {
    Call call{.problem = problem, .operands = {}};
    // Parameters and the optimizer's state are tensors of their own.
    for (std::size_t operand = 0; operand < benanza::inputs(problem).size(); ++operand) {
      call.operands.push_back(from_read(layer.reads.size()));
      layer.reads.push_back(given({parameters()}));
    }
    layer.calls.push_back(std::move(call));
  }
  finish(layer);
  add_layer(std::move(layer));
}

}  // namespace benanza::training
