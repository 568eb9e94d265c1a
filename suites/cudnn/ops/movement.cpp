#include "suites/cudnn/ops/movement.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/constants.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t minimum_rank = 4;

TensorFormat strided(Precision precision, Dims dims, Dims strides) {
  while (dims.size() < minimum_rank) {
    strides.insert(strides.begin(), dims.front() * strides.front());
    dims.insert(dims.begin(), 1);
  }
  return {.precision = precision, .dims = std::move(dims), .strides = std::move(strides)};
}

class MovementLayer final : public Layer {
 public:
  MovementLayer(Library& library, const Variant& variant, std::vector<TensorFormat> inputs,
                TensorFormat output, const std::vector<Move>& moves)
      : Layer(library, variant, std::move(inputs), std::move(output)) {
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
class MovementSolver final : public Solver {
 public:
  MovementSolver(const Shape& shape, std::vector<Layout> layouts)
      : shape_(shape), layouts_(std::move(layouts)) {}

  std::vector<Layout> layouts() const override { return layouts_; }

  std::vector<Algorithm> algorithms(Library&, const Variant&) const override {
    return {"transform_tensor"};
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    return std::make_unique<MovementLayer>(library, variant, dense_inputs(variant),
                                           dense_output(variant),
                                           map_movement(shape_, variant.precision, variant.layout));
  }

 private:
  Shape shape_;
  std::vector<Layout> layouts_;
};

}  // namespace

std::vector<Move> map_movement(const Copy& shape, Precision precision, Layout) {
  const auto repeats = [](std::int64_t step) { return step == 0; };
  if (std::ranges::any_of(shape.from, repeats)) {
    throw Unsupported("cuDNN's tensors have no step of 0: nothing is broadcast by a copy");
  }
  return {{.input = 0,
           .from = strided(precision, shape.dims, shape.from),
           .to = {.format = strided(precision, shape.dims, shape.to)}}};
}

std::vector<Move> map_movement(const Concat& shape, Precision precision, Layout layout) {
  const TensorFormat whole = dense(precision, shape.output(), layout);
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

std::unique_ptr<Solver> solver(const Copy& shape) {
  return std::make_unique<MovementSolver<Copy>>(shape, std::vector{Layout::plain});
}

std::unique_ptr<Solver> solver(const Concat& shape) {
  return std::make_unique<MovementSolver<Concat>>(shape, image_layouts(shape.output()));
}

}  // namespace benanza::cudnn
