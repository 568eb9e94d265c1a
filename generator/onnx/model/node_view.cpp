#include "generator/onnx/model/node_view.h"

#include <cmath>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

const Dims& known_shape(const Tensor& tensor, std::string_view what, std::size_t index) {
  if (!tensor.shape) {
    throw NotExpressible("the shape of " + std::string(what) + ' ' + std::to_string(index) +
                         " is unknown");
  }
  return *tensor.shape;
}

}  // namespace

bool NodeView::has_input(std::size_t index) const {
  asked_.inputs.insert(index);
  return index < inputs_.size() && inputs_[index] != nullptr;
}

bool NodeView::has_output(std::size_t index) const {
  return index < outputs_.size() && outputs_[index] != nullptr;
}

const Tensor& NodeView::input(std::size_t index) const {
  if (!has_input(index)) throw Error("input " + std::to_string(index) + " is missing");
  return *inputs_[index];
}

const Tensor& NodeView::output(std::size_t index) const {
  if (!has_output(index)) throw Error("output " + std::to_string(index) + " is missing");
  return *outputs_[index];
}

const Dims& NodeView::shape(std::size_t index) const {
  return known_shape(input(index), "input", index);
}

const Dims& NodeView::output_shape(std::size_t index) const {
  return known_shape(output(index), "output", index);
}

std::optional<std::size_t> NodeView::rank(std::size_t index) const {
  if (!has_input(index) || !inputs_[index]->shape) return std::nullopt;
  return inputs_[index]->shape->size();
}

std::int64_t NodeView::elements(std::size_t index) const {
  const auto count = checked_element_count(shape(index));
  if (!count) throw NotExpressible("more elements than a tensor holds");
  return *count;
}

Dims NodeView::extents(std::size_t index) const {
  const Dims& dims = shape(index);
  return dims.empty() ? Dims{1} : dims;
}

const Literal& NodeView::literal(std::size_t index) const {
  const Tensor& tensor = input(index);
  if (!tensor.literal) {
    throw NotExpressible("input " + std::to_string(index) + " is not known before the model runs");
  }
  return *tensor.literal;
}

Dims NodeView::integers(std::size_t index) const {
  const auto* values = std::get_if<std::vector<std::int64_t>>(&literal(index));
  if (values == nullptr) throw Error("input \"" + input(index).name + "\" must hold integers");
  return *values;
}

double NodeView::scalar(std::size_t index, double fallback) const {
  if (!has_input(index)) return fallback;
  return std::visit(
      [&](const auto& values) {
        if (values.empty()) throw Error("input \"" + input(index).name + "\" holds no value");
        const auto value = static_cast<double>(values.front());
        if (std::isnan(value)) {
          throw NotExpressible("input \"" + input(index).name + "\" is not a number");
        }
        return value;
      },
      literal(index));
}

std::optional<Dims> NodeView::argument(std::string_view name, std::size_t index) const {
  if (std::optional<Dims> values = integers(name)) return values;
  if (has_input(index)) return integers(index);
  return std::nullopt;
}

std::int64_t NodeView::axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) {
    throw Error("axis " + std::to_string(axis) + " is not one of the tensor's " +
                std::to_string(count) + " axes");
  }
  return axis < 0 ? axis + count : axis;
}

}  // namespace benanza::onnx
