#include "suites/cudnn/ops/movement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t minimum_rank = 4;

nvidia::TensorFormat strided(Precision precision, Dims dims, Dims strides) {
  while (dims.size() < minimum_rank) {
    strides.insert(strides.begin(), dims.front() * strides.front());
    dims.insert(dims.begin(), 1);
  }
  return {.precision = precision, .dims = std::move(dims), .strides = std::move(strides)};
}

struct Step {
  std::size_t input;
  TensorDescriptor from;
  TensorDescriptor to;
  std::int64_t to_bytes;
};

template <class Shape>
std::unique_ptr<harness::Primitive> movement_primitive(const Request& request, const Shape& shape) {
  std::vector<Step> steps;
  for (const Move& move : map_movement(shape, request.variant.precision, request.variant.layout)) {
    steps.push_back(
        {move.input, make_tensor(move.from), make_tensor(move.to.format), move.to.offset_bytes()});
  }
  return call_of(request, dense_setup(request.variant),
                 [steps = std::move(steps)](const CudnnPrimitive& call) {
                   const float factor = call.scale();
                   for (const Step& step : steps) {
                     BENANZA_CUDNN(cudnnTransformTensor, call.handle(), &factor, step.from.get(),
                                   call.input(step.input), &zero, step.to.get(),
                                   call.output() + step.to_bytes);
                   }
                 });
}

}  // namespace

Copy in_order_of_result(const Copy& shape) {
  std::vector<std::size_t> order(shape.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t axis) { return shape.to[axis]; });
  Copy sorted;
  for (const std::size_t axis : order) {
    sorted.dims.push_back(shape.dims[axis]);
    sorted.from.push_back(shape.from[axis]);
    sorted.to.push_back(shape.to[axis]);
  }
  return sorted.canonical();
}

std::vector<Move> map_movement(const Copy& shape, Precision precision, Layout) {
  const auto repeats = [](std::int64_t step) { return step == 0; };
  if (std::ranges::any_of(shape.from, repeats)) {
    throw harness::Unsupported("cuDNN's tensors have no step of 0: nothing is broadcast by a copy");
  }
  return {{.input = 0,
           .from = strided(precision, shape.dims, shape.from),
           .to = {.format = strided(precision, shape.dims, shape.to)}}};
}

std::vector<Move> map_movement(const Concat& shape, Precision precision, Layout layout) {
  const nvidia::TensorFormat whole = dense(precision, shape.output(), layout);
  Dims begin(shape.output().size(), 0);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const Dims& dims = shape.parts[i];
    moves.push_back({.input = i,
                     .from = dense(precision, dims, layout),
                     .to = part_of(whole, at_least_4d(begin, 0), at_least_4d(dims))});
    const auto axis = static_cast<std::size_t>(shape.axis);
    begin[axis] += dims[axis];
  }
  return moves;
}

void register_movement(WayTable& table) {
  constexpr const char* name = "transform_tensor";
  table.add(function<Copy>(
      name, [](const Copy&) { return std::vector{Layout::plain}; }, movement_primitive<Copy>));
  table.add(function<Concat>(
      name, [](const Concat& shape) { return image_layouts(shape.output()); },
      movement_primitive<Concat>));
}

}  // namespace benanza::cudnn
