#include "onnx/rebatch.h"

#include <algorithm>

namespace benanza {

std::optional<Dims> rebatched(const Dims& target, const Dims& input, bool zero_copies,
                              std::int64_t old_batch, std::int64_t batch) {
  if (target.empty() || target.front() <= 0 || target.front() > max_tensor_elements / batch ||
      target.front() * batch % old_batch != 0) {
    return std::nullopt;
  }
  Dims scaled = target;
  scaled.front() = target.front() * batch / old_batch;
  if (std::find(target.begin(), target.end(), -1) != target.end()) {
    // The free extent would swallow the new batch: only a leading batch is taken for one.
    const bool leads = target.front() == old_batch && !input.empty() && input.front() == batch;
    return leads ? std::optional(scaled) : std::nullopt;
  }
  Dims filled = scaled;
  for (std::size_t axis = 0; axis < std::min(filled.size(), input.size()); ++axis) {
    if (filled[axis] == 0 && zero_copies) filled[axis] = input[axis];
  }
  const bool fits = checked_element_count(filled) == element_count(input);
  return fits ? std::optional(scaled) : std::nullopt;
}

void rebatch_reshape(NodeContext& context, const Program& program, const Step& reshape,
                     std::int64_t old_batch, std::int64_t batch) {
  const std::vector<const Tensor*> inputs = input_tensors(program, reshape);
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

}  // namespace benanza
