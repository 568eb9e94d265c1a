#include "generator/onnx/infer/assume.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

using ::onnx::TypeProto;

/// Whether the output is, or may be, a tensor with an unknown extent.
bool is_open(const Step& step, std::size_t output, const TypeProto& type) {
  const bool tensor = type.has_tensor_type() || type.value_case() == TypeProto::VALUE_NOT_SET;
  return step.outputs[output] != nullptr && tensor && !make_tensor("", type).shape;
}

}  // namespace

std::optional<std::int64_t> OpenDimensions::stated(const Step& step, std::size_t output,
                                                   std::size_t axis) {
  const std::string& own = step.node.proto().output(static_cast<int>(output));
  const std::string& id = step.outputs[output]->id;
  for (const std::string* name : {&id, &own}) {
    const auto found = bound_.dims.find(*name + ':' + std::to_string(axis));
    if (name->empty() || found == bound_.dims.end()) continue;
    program_.used_dims.insert(found->first);
    return found->second;
  }
  return std::nullopt;
}

/// Outputs with one open axis each share its extent: the user's value for one applies to all.
std::optional<std::int64_t> OpenDimensions::stated(const Step& step, const Limits& results,
                                                   std::size_t output, std::size_t axis) {
  if (const auto value = stated(step, output, axis)) return value;
  const auto selects = [&](std::size_t index) {
    return results[index] && results[index]->open.size() == 1;
  };
  if (!selects(output)) return std::nullopt;
  for (std::size_t other = 0; other < std::min(results.size(), step.outputs.size()); ++other) {
    if (!selects(other)) continue;
    if (const auto value = stated(step, other, results[other]->open[0])) return value;
  }
  return std::nullopt;
}

std::optional<std::size_t> OpenDimensions::take_max_shapes(const Step& step,
                                                           std::vector<TypeProto>& types) {
  const Operator* known = operators_.find(step.node.full_type());
  if (known == nullptr || known->max_shapes == nullptr) return std::nullopt;
  Limits results;
  try {
    results = known->max_shapes(inputs_view(step));
  } catch (const NotExpressible&) {
    return std::nullopt;
  }
  std::optional<std::size_t> first;
  for (std::size_t output = 0; output < std::min(types.size(), results.size()); ++output) {
    if (!results[output] || !is_open(step, output, types[output])) continue;
    const std::string& name = step.node.proto().output(static_cast<int>(output));
    Dims shape = results[output]->shape;
    std::vector<Assumption> assumed;
    for (const std::size_t axis : results[output]->open) {
      std::int64_t& extent = shape[axis];
      if (const auto value = stated(step, results, output, axis)) {
        if (*value > extent) {
          throw FlagError("\"" + name + "\" has at most " + std::to_string(extent) +
                          " along axis " + std::to_string(axis) + ", but --dim says " +
                          std::to_string(*value));
        }
        extent = *value;
      } else if (extent > 0) {
        assumed.push_back({step.node.full_type(), name, axis, extent});
      }
    }
    if (!checked_element_count(shape)) continue;
    types[output] = make_type(results[output]->type, shape);
    if (first || assumed.empty()) continue;
    first = program_.assumptions.size();
    program_.assumptions.insert(program_.assumptions.end(), assumed.begin(), assumed.end());
  }
  return first;
}

void OpenDimensions::take_stated(const Step& step, std::size_t output, TypeProto& type) {
  if (type.tensor_type().has_shape()) {
    auto& shape = *type.mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      if (shape.dim(axis).has_dim_value()) continue;
      if (const auto value = stated(step, output, static_cast<std::size_t>(axis))) {
        shape.mutable_dim(axis)->set_dim_value(*value);
      }
    }
    return;
  }
  // Not even the rank is known: the user must state all axes.
  Dims shape;
  while (const auto value = stated(step, output, shape.size())) shape.push_back(*value);
  if (shape.empty()) return;
  int element = type.tensor_type().elem_type();
  // Of an unknown operator.
  if (element == 0 && !step.inputs.empty() && step.inputs[0] != nullptr) {
    element = step.inputs[0]->type;
  }
  type = make_type(element, shape);
}

std::optional<std::size_t> OpenDimensions::settle(const Step& step, std::vector<TypeProto>& types) {
  const auto any_open = [&] {
    for (std::size_t output = 0; output < types.size(); ++output) {
      if (is_open(step, output, types[output])) return true;
    }
    return false;
  };
  if (!any_open()) return std::nullopt;
  const auto first = take_max_shapes(step, types);
  for (std::size_t output = 0; output < types.size(); ++output) {
    if (is_open(step, output, types[output])) take_stated(step, output, types[output]);
  }
  return first;
}

std::optional<std::size_t> first_assumption(const Step& step) {
  std::optional<std::size_t> first = step.assumption;
  for (const auto* values : {&step.inputs, &step.captured, &step.outputs}) {
    for (const Value* value : *values) {
      if (value == nullptr || !value->assumption) continue;
      first = std::min(first.value_or(*value->assumption), *value->assumption);
    }
  }
  return first;
}

std::string unreadable_warning(const Program& program) {
  const std::size_t others = program.unreadable.size() - 1;
  const std::string count = std::to_string(others);
  return program.unreadable.front() + ": this layer is unsupported" +
         (others == 0   ? ""
          : others == 1 ? ", as is another that cannot be read"
                        : ", as are " + count + " others that cannot be read");
}

std::string misfit(const std::string& error) {
  return "the extents assumed here do not fit: " + error + ": state them with --dim";
}

std::string shapeless_warning(const LoweredGraph& graph, const std::string& where) {
  // Outputs of unknown type are sequences, maps, or results of operators of domains that are not
  // ONNX's.
  const auto shapeless = [](const Layer& layer, const Output& output) {
    const bool is_of_onnx =
        layer.op.find('.') == std::string::npos || layer.op.starts_with("ai.onnx.");
    return !output.shape && (output.type != type_name(0) || !is_of_onnx);
  };
  std::set<std::size_t> without;
  std::string first;
  int count = 0;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const Layer& layer = graph.layers[index];
    const auto found = std::ranges::find_if(
        layer.outputs, [&](const Output& output) { return shapeless(layer, output); });
    if (found == layer.outputs.end()) continue;
    without.insert(index);
    if (std::ranges::any_of(layer.inputs,
                            [&](std::size_t input) { return without.contains(input); })) {
      continue;
    }
    if (count++ == 0) first = '"' + found->name + "\" (" + layer.op + ')';
    if (count == 1)
      first += ": state it with --dim " + found->name + ":AXIS=N for each of its axes";
  }
  if (count == 0) return "";
  return where + ": what " + std::to_string(count) +
         (count == 1 ? " layer makes has" : " layers make has") + " no shape, " +
         (count == 1 ? "" : "the first ") + first;
}

std::string assumption_warning(const LoweredGraph& graph, const std::string& where) {
  if (graph.assumptions.empty()) return "";
  const std::size_t count = graph.assumptions.size();
  const Assumption& first = graph.assumptions.front();
  return where + ": " + std::to_string(count) +
         (count == 1 ? " data-dependent dimension, assumed at its maximum: "
                     : " data-dependent dimensions, assumed at their maximum; the first: ") +
         to_string(first) + " (" + first.op + "): set it with --dim " + first.tensor + ':' +
         std::to_string(first.axis) + "=N";
}

}  // namespace benanza::onnx
