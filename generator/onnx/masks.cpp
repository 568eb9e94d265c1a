#include "generator/onnx/masks.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "generator/lowered/lowered.h"

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

/// A sum of scores and a mask that hides nothing.
bool is_idle(const LoweredLayer& layer, const Call& call) {
  const auto* sum = std::get_if<Binary>(&call.problem.shape);
  if (sum == nullptr || sum->kind != BinaryKind::add || sum->output() != sum->a) return false;
  if (call.operands[0].kind != Source::Kind::call) return false;
  const Source& mask = call.operands[1];
  const auto index = static_cast<std::size_t>(mask.index);
  return mask.kind == Source::Kind::input && index < layer.reads.size() &&
         layer.reads[index].hides_nothing;
}

/// Operators that a mask may be an operand of.
constexpr std::string_view masking_ops[] = {"Add",
                                            "Sub",
                                            "Mul",
                                            "Where",
                                            "Attention",
                                            "com.microsoft.Attention",
                                            "com.microsoft.MultiHeadAttention",
                                            "com.microsoft.GroupQueryAttention"};

/// Inputs at which an operator takes a mask.
struct MaskPlace {
  std::string_view op;
  std::vector<std::size_t> inputs;
};

bool may_be_mask(const Step& step, std::size_t index, const Value& value) {
  static const std::vector<MaskPlace> places{{"Add", {0, 1}},
                                             {"Where", {0}},
                                             {"Attention", {3}},
                                             {"com.microsoft.Attention", {3, 5}},
                                             {"com.microsoft.MultiHeadAttention", {4, 5}},
                                             {"com.microsoft.GroupQueryAttention", {10}}};
  if (!value.constant || !value.shape || value.shape->size() < 2) return false;
  const auto found = std::ranges::find(places, step.node.full_type(), &MaskPlace::op);
  return found != places.end() && std::ranges::count(found->inputs, index) > 0;
}

/// Recognizes a triangle in the values of a tensor.
template <class Value>
class Recognition {
 public:
  Recognition(const Dims& dims, const std::vector<Value>& values)
      : values_(values), rows_(dims.end()[-2]), columns_(dims.end()[-1]) {}

  std::optional<Triangle> find() {
    // The last query sees the last key, the first one does not.
    const double inside = at(rows_ - 1, columns_ - 1);
    Triangle found{
        .queries = rows_, .keys = columns_, .inside = inside, .outside = at(0, columns_ - 1)};
    if (found.inside == found.outside || std::isnan(inside)) return std::nullopt;
    std::int64_t seen = 0;
    while (seen < columns_ && at(rows_ - 1, columns_ - 1 - seen) == inside) ++seen;
    if (seen < columns_) found.window = seen;
    const Attention shape{
        .queries = rows_, .keys = columns_, .mask = {}, .causal = true, .window = found.window};
    for (std::size_t matrix = 0; matrix < values_.size(); matrix += size()) {
      for (std::int64_t row = 0; row < rows_; ++row) {
        if (!continues(matrix, row, shape.visible_keys(row), found)) return std::nullopt;
      }
    }
    return found;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(rows_ * columns_); }
  double at(std::int64_t row, std::int64_t column, std::size_t matrix = 0) const {
    return static_cast<double>(values_[matrix + static_cast<std::size_t>(row * columns_ + column)]);
  }

  bool continues(std::size_t matrix, std::int64_t row,
                 const std::pair<std::int64_t, std::int64_t>& visible, Triangle& found) const {
    for (std::int64_t column = 0; column < columns_; ++column) {
      const double value = at(row, column, matrix);
      if (column >= visible.first && column < visible.second) {
        if (value != found.inside) return false;
        continue;
      }
      // A NaN is neither.
      if (found.outside == 0 ? value != 0 : !(value * found.outside > 0)) return false;
      if (std::abs(value) < std::abs(found.outside)) found.outside = value;
    }
    return true;
  }

  const std::vector<Value>& values_;
  std::int64_t rows_;
  std::int64_t columns_;
};

bool may_be_triangle(const Value& value) {
  if (!value.constant || !value.shape || value.shape->size() < 2) return false;
  const std::int64_t queries = value.shape->end()[-2];
  const std::int64_t keys = value.shape->end()[-1];
  return queries > 1 && keys >= queries && element_count(*value.shape) > 0;
}

/// True for what onnx.tools.replace_constants puts in the place of a weight.
bool stands_for_weight(const Program& program, const Value& value) {
  if (!value.producer) return false;
  const Step& step = program.steps[*value.producer];
  return step.node.full_type() == "ConstantOfShape" && !step.inputs.empty() &&
         step.inputs[0] != nullptr && step.inputs[0]->name == value.name + "__SHAPE";
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
  const auto output = std::ranges::find(step.outputs, &value);
  const auto index = static_cast<std::size_t>(output - step.outputs.begin());
  if (index >= made.size()) return std::nullopt;
  const auto count = std::visit([](const auto& values) { return std::ssize(values); }, made[index]);
  if (count != element_count(*value.shape)) return std::nullopt;
  return std::move(made[index]);
}

void drop_idle_masks(LoweredLayer& layer) {
  const auto softmax = std::ranges::find_if(layer.calls, [](const Call& call) {
    return std::holds_alternative<Softmax>(call.problem.shape);
  });
  if (layer.cost != Cost::measured || softmax == layer.calls.end()) return;
  const std::size_t count = layer.calls.size();
  for (auto index = static_cast<std::size_t>(softmax - layer.calls.begin()); index-- > 0;) {
    if (!is_idle(layer, layer.calls[index])) continue;
    erase_call(layer.calls, index, Source(layer.calls[index].operands[0]));
  }
  if (layer.calls.size() != count) set_work(layer);
}

std::optional<Triangle> Masks::triangle(const Step& step, const Value& value) {
  if (std::ranges::find(masking_ops, step.node.full_type()) == std::end(masking_ops) ||
      !may_be_triangle(value)) {
    return std::nullopt;
  }
  const auto [found, is_new] = triangles_.try_emplace(&value);
  if (!is_new) return found->second;
  if (const Literal* literal = values_.of(value)) {
    found->second = std::visit(
        [&](const auto& values) { return Recognition(*value.shape, values).find(); }, *literal);
    if (found->second) found->second->truth = value.type == ::onnx::TensorProto::BOOL;
  }
  values_.forget();
  return found->second;
}

bool Masks::hides_nothing(const Step& step, std::size_t index, const Value& value) {
  if (!may_be_mask(step, index, value)) return false;
  const auto [found, is_new] = hides_nothing_.try_emplace(&value, false);
  if (!is_new) return found->second;
  // What differs from head to head is a bias, which may be stored as zeros in place of its values.
  const bool has_heads = value.shape->size() > 2 && value.shape->end()[-3] > 1;
  if (has_heads && is_learned(value)) return false;
  const bool is_sum = is_floating(value.type);
  if (const Literal* literal = values_.of(value)) {
    found->second = std::visit(
        [&](const auto& values) {
          return !values.empty() && std::ranges::all_of(values, [&](auto one) {
            return is_sum ? one == 0 : one != 0;
          });
        },
        *literal);
  }
  values_.forget();
  return found->second;
}

std::optional<double> Masks::largest(const Step& step, const Value& value) {
  if (step.node.full_type() != "Where" || !is_floating(value.type)) return std::nullopt;
  const auto [found, is_new] = largest_.try_emplace(&value);
  if (!is_new) return found->second;
  if (const Literal* literal = values_.of(value)) {
    const auto* values = std::get_if<std::vector<double>>(literal);
    if (values != nullptr && !values->empty()) found->second = *std::ranges::max_element(*values);
  }
  values_.forget();
  return found->second;
}

bool Masks::is_learned(const Value& value) {
  const Value& own = value.original == nullptr ? value : *value.original;
  if (!own.constant || !is_floating(own.type)) return false;
  if (stands_for_weight(program_, own)) return true;
  if (!own.given) return false;
  const auto [found, is_new] = learned_.try_emplace(&own, true);
  if (!is_new) return found->second;
  if (const Literal* literal = values_.of(own)) {
    // What hides scores is far below zero.
    constexpr double hides = -50;
    const auto& values = std::get<std::vector<double>>(*literal);
    const bool is_mask =
        std::ranges::all_of(values, [](double value) { return value == 0 || value <= hides; }) &&
        std::ranges::any_of(values, [](double value) { return value != 0; });
    found->second = !is_mask;
  }
  values_.forget();
  return found->second;
}

}  // namespace benanza::onnx
