#include "generator/onnx/constant_values.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace benanza::onnx {
namespace {

/// Of one tensor: truth values of max_mask_bytes.
constexpr std::int64_t most_elements = max_mask_bytes;
/// Of all tensors together; a few seconds.
constexpr std::int64_t most_evaluated = std::int64_t{1} << 28;
constexpr int most_depth = 64;

const ::onnx::TensorProto* constant_of(const Step& step) {
  if (step.node.full_type() != "Constant") return nullptr;
  const ::onnx::AttributeProto* value = step.node.find("value");
  return value != nullptr && value->has_t() ? &value->t() : nullptr;
}

}  // namespace

const Literal* ConstantValues::of(const Value& value) {
  if (!value.constant || value.assumption) return nullptr;
  if (value.literal) return &*value.literal;
  auto found = computed_.find(&value);
  if (found == computed_.end()) {
    if (depth_ > most_depth) return nullptr;
    ++depth_;
    std::optional<Literal> made;
    try {
      made = compute(value);
    } catch (const std::exception&) {
      // Its values stay unknown.
    }
    --depth_;
    found = computed_.emplace(&value, std::move(made)).first;
  }
  return found->second ? &*found->second : nullptr;
}

bool ConstantValues::is_affordable(const Value& value) {
  if (!value.shape || value.original != nullptr) return false;
  const auto elements = checked_element_count(*value.shape);
  if (!elements || *elements > most_elements) return false;
  evaluated_ += *elements;
  return evaluated_ <= most_evaluated;
}

std::optional<Literal> ConstantValues::compute(const Value& value) {
  if (!is_affordable(value)) return std::nullopt;
  if (value.stored != nullptr) return read_values(*value.stored);
  if (!value.producer) return std::nullopt;
  if (const auto* constant = constant_of(program_.steps[*value.producer])) {
    return read_values(*constant);
  }
  return folded(value);
}

std::optional<Literal> ConstantValues::folded(const Value& value) {
  const Step& step = program_.steps[*value.producer];
  const Operator* known = operators_.find(step.node.full_type());
  if (known == nullptr || known->fold == nullptr || known->random) return std::nullopt;
  std::vector<Tensor> held;
  held.reserve(step.inputs.size());
  std::vector<const Tensor*> inputs;
  for (const Value* input : step.inputs) {
    if (input == nullptr || input->literal) {
      inputs.push_back(input);
      continue;
    }
    const Literal* literal = known->fold_needs == FoldNeeds::shapes ? nullptr : of(*input);
    if (literal == nullptr && known->fold_needs == FoldNeeds::values) return std::nullopt;
    held.push_back(*input);
    if (literal != nullptr) held.back().literal = *literal;
    inputs.push_back(&held.back());
  }
  std::vector<Literal> made =
      known->fold(NodeView(step.node, std::move(inputs), output_tensors(step, false)));
  const auto output = std::find(step.outputs.begin(), step.outputs.end(), &value);
  const auto index = static_cast<std::size_t>(output - step.outputs.begin());
  if (index >= made.size()) return std::nullopt;
  const auto count = std::visit([](const auto& values) { return std::ssize(values); }, made[index]);
  if (count != element_count(*value.shape)) return std::nullopt;
  return std::move(made[index]);
}

}  // namespace benanza::onnx
