#include "suites/cudnn/ops/movement.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"

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

class MovementPrimitive final : public CudnnPrimitive {
 public:
  MovementPrimitive(Library& library, const harness::Variant& variant,
                    std::vector<nvidia::TensorFormat> inputs, nvidia::TensorFormat output,
                    const std::vector<Move>& moves)
      : CudnnPrimitive(library, variant, std::move(inputs), std::move(output)) {
    for (const Move& move : moves) {
      steps_.push_back({move.input, make_tensor(move.from), make_tensor(move.to.format),
                        move.to.offset_bytes()});
    }
  }

  void run() override {
    const float factor = scale();
    for (const Step& step : steps_) {
      BENANZA_CUDNN(cudnnTransformTensor, handle(), &factor, step.from.get(), input(step.input),
                    &zero, step.to.get(), output() + step.to_bytes);
    }
  }

 private:
  struct Step {
    std::size_t input;
    TensorDescriptor from;
    TensorDescriptor to;
    std::int64_t to_bytes;
  };
  std::vector<Step> steps_;
};

template <class Shape>
harness::Solver<Library, Shape> movement_solver(std::vector<Layout> (*layouts)(const Shape&)) {
  return {
      .layouts = layouts,
      .algorithms = [](Library&, const Shape&, const harness::Variant&, harness::AlgorithmSet)
          -> std::vector<harness::Algorithm> { return {"transform_tensor"}; },
      .create =
          [](Library& library, const Shape& shape, const harness::Variant& variant) {
            return std::make_unique<MovementPrimitive>(
                library, variant, dense_inputs(variant), dense_output(variant),
                map_movement(shape, variant.precision, variant.layout));
          },
      .owns = [](const harness::Algorithm& algorithm) { return algorithm == "transform_tensor"; }};
}

}  // namespace

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

void register_movement(SolverTable& table) {
  table.add(movement_solver<Copy>([](const Copy&) { return std::vector{Layout::plain}; }));
  table.add(
      movement_solver<Concat>([](const Concat& shape) { return image_layouts(shape.output()); }));
}

}  // namespace benanza::cudnn
