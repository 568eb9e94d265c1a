#include "generator/onnx/infer/rebatch.h"

#include <algorithm>

namespace benanza::onnx {

namespace {

/// `target` with extent `axis` scaled; empty if that is not possible.
std::optional<Dims> scaled_at(const Dims& target, std::size_t axis, std::int64_t old_batch,
                              std::int64_t batch) {
  if (axis >= target.size() || target[axis] <= 0 || old_batch < 1 ||
      target[axis] > max_tensor_elements / batch || target[axis] * batch % old_batch != 0) {
    return std::nullopt;
  }
  Dims scaled = target;
  scaled[axis] = target[axis] * batch / old_batch;
  return scaled;
}

}  // namespace

std::optional<Dims> rebatched(const Dims& target, const Dims& input, bool zero_copies,
                              std::int64_t old_batch, std::int64_t batch) {
  const auto scaled = scaled_at(target, 0, old_batch, batch);
  if (std::ranges::find(target, -1) != target.end()) {
    // The -1 would absorb the new batch, so only a leading batch is recognized.
    const bool leads = target.front() == old_batch && !input.empty() && input.front() == batch;
    return leads ? scaled : std::nullopt;
  }
  // Axes in front of the batch stay as they are.
  const auto changed = std::ranges::mismatch(target, input).in1 - target.begin();
  const auto later = scaled_at(target, static_cast<std::size_t>(changed), old_batch, batch);
  if (later && checked_element_count(*later) == element_count(input)) return later;
  if (!scaled) return std::nullopt;
  Dims filled = *scaled;
  for (std::size_t axis = 0; axis < std::min(filled.size(), input.size()); ++axis) {
    if (filled[axis] == 0 && zero_copies) filled[axis] = input[axis];
  }
  const bool fits = checked_element_count(filled) == element_count(input);
  return fits ? scaled : std::nullopt;
}

void rebatch_reshape(NodeContext& context, const Step& reshape, std::int64_t old_batch,
                     std::int64_t batch) {
  const std::vector<Value*>& inputs = reshape.inputs;
  if (inputs.size() < 2 || inputs[0] == nullptr || inputs[1] == nullptr || !inputs[0]->shape ||
      !inputs[1]->literal || !inputs[1]->shape) {
    return;
  }
  const auto* target = std::get_if<std::vector<std::int64_t>>(&*inputs[1]->literal);
  if (target == nullptr) return;
  const bool zero_copies = reshape.node.integer("allowzero", 0) == 0;
  const auto scaled = rebatched(*target, *inputs[0]->shape, zero_copies, old_batch, batch);
  if (!scaled) return;
  if (auto value = write_literal(Literal(*scaled), inputs[1]->type, *inputs[1]->shape)) {
    context.replace_data(1, std::move(*value));
  }
}

namespace {

/// The batch axis on which the inputs of the step must agree; empty if they need not.
std::optional<std::size_t> joined_axis(const Node& node, std::size_t rank) {
  const std::string& op = node.op_type();
  if (is_recurrent(op)) return node.integer("layout", 0) != 0 ? 0 : 1;
  if (!node.domain().empty()) return std::nullopt;
  if (op == "Concat") {
    const std::int64_t axis = node.integer("axis", 1);
    return axis == 0 || axis == -static_cast<std::int64_t>(rank) ? std::nullopt : std::optional(0U);
  }
  return std::nullopt;
}

/// Inputs that may be widened: all of Concat, the initial states of recurrent layers.
bool holds_batch(const Node& node, std::size_t input) {
  return node.op_type() == "Concat" || input == 5 || input == 6;
}

}  // namespace

namespace {

/// Replaces constant input `index` of the step with a copy, which it returns.
Value& widened(Program& program, Step& step, std::size_t index) {
  const Value& original = *step.inputs[index];
  const std::string id = original.id + " widened";
  Value& wide = *program.value(id);
  wide = original;
  wide.id = id;
  wide.is_output = false;
  wide.original = &original;
  step.inputs[index] = &wide;
  return wide;
}

/// Widens the `sizes` of Resize if they start with the old batch.
void widen_sizes(Program& program, Step& step, std::int64_t old_batch, std::int64_t batch) {
  const std::vector<Value*>& inputs = step.inputs;
  constexpr std::size_t place = 3;
  if (inputs.size() <= place || inputs[0] == nullptr || !inputs[0]->shape ||
      inputs[place] == nullptr || !inputs[place]->literal || step.node.has("axes")) {
    return;
  }
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&*inputs[place]->literal);
  const Dims& input = *inputs[0]->shape;
  if (sizes == nullptr || sizes->size() != input.size() || sizes->empty() ||
      sizes->front() != old_batch || input.front() != batch) {
    return;
  }
  Value& wide = widened(program, step, place);
  std::get<std::vector<std::int64_t>>(*wide.literal).front() = batch;
}

}  // namespace

void widen_constants(Program& program, Step& step, std::int64_t old_batch, std::int64_t batch) {
  if (step.node.full_type() == "Resize") widen_sizes(program, step, old_batch, batch);
  const std::vector<Value*>& inputs = step.inputs;
  const auto extent = [&](const Tensor* tensor) -> std::optional<std::int64_t> {
    if (tensor == nullptr || !tensor->shape) return std::nullopt;
    const auto axis = joined_axis(step.node, tensor->shape->size());
    if (!axis || *axis >= tensor->shape->size()) return std::nullopt;
    return (*tensor->shape)[*axis];
  };
  const bool joins = std::ranges::any_of(inputs, [&](const Tensor* tensor) {
    return tensor != nullptr && !tensor->constant && extent(tensor) == batch;
  });
  if (!joins) return;
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    if (!holds_batch(step.node, index) || inputs[index] == nullptr || !inputs[index]->constant ||
        extent(inputs[index]) != old_batch) {
      continue;
    }
    if (!inputs[index]->has_type()) continue;
    Value& wide = widened(program, step, index);
    const std::size_t axis = *joined_axis(step.node, wide.shape->size());
    (*wide.shape)[axis] = batch;
    wide.literal.reset();
    wide.value_type.mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(static_cast<int>(axis))
        ->set_dim_value(batch);
  }
}

}  // namespace benanza::onnx
