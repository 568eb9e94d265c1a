#include "generator/training/gradient.h"

#include <algorithm>

#include "generator/training/products.h"

namespace benanza::training {
namespace {

using Kind = GradientSource::Kind;

GradientSource operand(int index) { return {Kind::operand, index}; }
GradientSource result(int index) { return {Kind::result, index}; }
GradientSource call(int index) { return {Kind::call, index}; }

Gradient unsupported(std::string reason) {
  return {.calls = {}, .whole = {}, .passed = {}, .unsupported = std::move(reason)};
}

/// Adds the gradient of a broadcast operand of these extents: sums over the broadcast axes. `from`
/// is the index of the call that makes the terms; -1 means the output's gradient.
void add_sum(Gradient& gradient, const std::string& name, const Dims& output, const Dims& operand,
             int from, int of) {
  Dims axes;
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    if (operand[axis] == 1 && output[axis] != 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) {
    if (from < 0) {
      gradient.passed.push_back(of);
    } else {
      gradient.calls[static_cast<std::size_t>(from)].of = {of};
    }
    return;
  }
  gradient.calls.push_back({.name = name,
                            .problem = {Reduction{ReductionKind::sum, output, axes}, {}},
                            .operands = {from < 0 ? output_gradient : call(from)},
                            .of = {of}});
}

Problem elementwise(BinaryKind kind, const Dims& a, const Dims& b) {
  return {Binary{.kind = kind, .a = a, .b = b}, {}};
}

Problem times(const Dims& dims, float factor) {
  return {Activation{.input = dims, .kind = ActivationKind::linear, .alpha = factor}, {}};
}

class Rules {
 public:
  explicit Rules(const std::vector<bool>& wanted) : wanted_(wanted) {}

  Gradient operator()(const Convolution& shape) const { return of_convolution(shape, wanted_); }
  Gradient operator()(const Deconvolution& shape) const { return of_deconvolution(shape, wanted_); }
  Gradient operator()(const Gemm& shape) const { return of_gemm(shape, wanted_); }

  Gradient operator()(const Activation& shape) const {
    if (shape.kind == ActivationKind::linear) {
      if (shape.alpha == 1) return {.passed = {0}};
      return one("gradient", times(shape.input, shape.alpha), {output_gradient});
    }
    // Piecewise constant, so the gradient is 0.
    if (!has_gradient(shape.kind)) return {};
    const ActivationGradient gradient{shape};
    return one("gradient", {gradient, {}},
               {output_gradient, gradient.of_result() ? result(0) : operand(0)});
  }

  Gradient operator()(const Pooling& shape) const {
    std::vector<GradientSource> operands{output_gradient};
    if (shape.mode == PoolingMode::max) operands.push_back(operand(0));
    return one("gradient", {PoolingGradient{shape}, {}}, std::move(operands));
  }

  Gradient operator()(const Softmax& shape) const {
    return one("gradient", {SoftmaxGradient{shape}, {}}, {output_gradient, result(0)});
  }

  Gradient operator()(const Lrn& shape) const {
    return one("gradient", {LrnGradient{shape}, {}}, {output_gradient, operand(0)});
  }

  /// The call for the weights needs the one for the data, even if the data gradient is not wanted.
  Gradient operator()(const Recurrent& shape) const {
    Recurrent forward = shape;
    forward.training = false;
    const std::vector<Operand> own = forward.inputs();
    std::vector<GradientSource> operands;
    for (std::size_t index = 0; index < own.size(); ++index) {
      operands.push_back(operand(static_cast<int>(index)));
    }
    for (std::size_t part = 0; part < forward.results().size(); ++part) {
      operands.push_back({GradientSource::Kind::output_gradient, static_cast<int>(part)});
    }
    Gradient gradient;
    const auto add = [&](const char* name, RecurrentGradients of, Role role) {
      GradientCall call{.name = name,
                        .problem = {RecurrentGradient{forward, of}, {}},
                        .operands = operands,
                        .of = {}};
      bool is_wanted = false;
      for (std::size_t index = 0; index < own.size(); ++index) {
        if (own[index].role != role) continue;
        call.of.push_back(static_cast<int>(index));
        is_wanted = is_wanted || wanted_[index];
      }
      if (is_wanted || role == Role::data) gradient.calls.push_back(std::move(call));
    };
    add("data_gradient", RecurrentGradients::of_data, Role::data);
    add("weight_gradient", RecurrentGradients::of_weights, Role::weights);
    gradient.whole = Problem{RecurrentGradient{forward, RecurrentGradients::of_both}, {}};
    return gradient;
  }

  Gradient operator()(const BatchNormalizationTraining& shape) const {
    return {.calls = {{.name = "gradient",
                       .problem = {BatchNormalizationGradient{shape.input, shape.epsilon}, {}},
                       .operands = {output_gradient, operand(0), operand(1), result(1), result(2)},
                       .of = {0, 1, 2}}}};
  }

  Gradient operator()(const LayerNormalization& shape) const {
    GradientCall made{.name = "gradient",
                      .problem = {LayerNormalizationGradient{shape}, {}},
                      .operands = {output_gradient, operand(0)},
                      .of = {0}};
    if (shape.scale) made.operands.push_back(operand(1));
    // The statistics, which training keeps.
    if (!shape.root_mean_square) made.operands.push_back(result(1));
    made.operands.push_back(result(2));
    if (shape.scale) made.of.push_back(1);
    if (shape.bias) made.of.push_back(shape.scale ? 2 : 1);
    return {.calls = {std::move(made)}};
  }

  Gradient operator()(const Binary& shape) const {
    const Dims output = shape.output();
    Gradient gradient;
    const auto add = [&](const std::string& name, Problem problem,
                         std::vector<GradientSource> operands) {
      gradient.calls.push_back({name, std::move(problem), std::move(operands), {-1}});
      return static_cast<int>(gradient.calls.size()) - 1;
    };
    switch (shape.kind) {
      case BinaryKind::add:
      case BinaryKind::sub:
        if (wanted_[0]) add_sum(gradient, "gradient_a", output, shape.a, -1, 0);
        if (wanted_[1] && shape.kind == BinaryKind::add) {
          add_sum(gradient, shape.constant_b ? "bias_gradient" : "gradient_b", output, shape.b, -1,
                  1);
        } else if (wanted_[1]) {
          const int negative = add("negative", times(output, -1), {output_gradient});
          add_sum(gradient, "gradient_b", output, shape.b, negative, 1);
        }
        return gradient;
      case BinaryKind::mul:
        if (wanted_[0]) {
          const int product = add("gradient_a", elementwise(BinaryKind::mul, output, shape.b),
                                  {output_gradient, operand(1)});
          add_sum(gradient, "gradient_a_sum", output, shape.a, product, 0);
        }
        if (wanted_[1]) {
          const int product = add("gradient_b", elementwise(BinaryKind::mul, output, shape.a),
                                  {output_gradient, operand(0)});
          add_sum(gradient, "gradient_b_sum", output, shape.b, product, 1);
        }
        return gradient;
      case BinaryKind::div: {
        // (a / b)' is dy / b for a, and -(dy / b) y for b.
        const int quotient = add("gradient_a", elementwise(BinaryKind::div, output, shape.b),
                                 {output_gradient, operand(1)});
        if (wanted_[0]) add_sum(gradient, "gradient_a_sum", output, shape.a, quotient, 0);
        if (wanted_[1]) {
          const int product = add("gradient_b", elementwise(BinaryKind::mul, output, output),
                                  {call(quotient), result(0)});
          const int negative = add("negative", times(output, -1), {call(product)});
          add_sum(gradient, "gradient_b_sum", output, shape.b, negative, 1);
        }
        return gradient;
      }
      case BinaryKind::eq:
      case BinaryKind::ne:
      case BinaryKind::lt:
      case BinaryKind::le:
      case BinaryKind::gt:
      case BinaryKind::ge:
        return {};
      default:
        return unsupported("the gradient of '" + std::string(shape.op()) + "' has no call here");
    }
  }

  Gradient operator()(const Reduction& shape) const {
    if (shape.kind != ReductionKind::mean && shape.kind != ReductionKind::sum) {
      return unsupported("the gradient of '" + std::string(shape.op()) + "' has no call here");
    }
    // Every term of a sum gets the sum's gradient.
    Dims from = dense_strides(shape.output());
    for (const std::int64_t axis : shape.axes) from[static_cast<std::size_t>(axis)] = 0;
    return moved({shape.input, from, dense_strides(shape.input)});
  }

  Gradient operator()(const Copy& shape) const {
    if (std::ranges::find(shape.from, 0) == shape.from.end()) {
      return moved({shape.dims, shape.to, shape.from});
    }
    // Repeated elements get the sum of their gradients.
    Dims axes;
    for (std::size_t axis = 0; axis < shape.dims.size(); ++axis) {
      if (shape.from[axis] == 0) axes.push_back(static_cast<std::int64_t>(axis));
    }
    return one("gradient", {Reduction{ReductionKind::sum, shape.dims, axes}, {}},
               {output_gradient});
  }

  Gradient operator()(const Concat& shape) const {
    const Dims whole = dense_strides(shape.output());
    const auto axis = static_cast<std::size_t>(shape.axis);
    Gradient gradient;
    std::int64_t begin = 0;
    for (std::size_t part = 0; part < shape.parts.size(); ++part) {
      const std::int64_t offset = begin;
      begin += shape.parts[part][axis] * whole[axis];
      if (!wanted_[part]) continue;
      const Copy copy{shape.parts[part], whole, dense_strides(shape.parts[part])};
      gradient.calls.push_back({.name = "gradient_" + std::to_string(part),
                                .problem = {copy.canonical(), {}},
                                .operands = {output_gradient},
                                .of = {static_cast<int>(part)},
                                .cost = Cost::movement,
                                .from_offset = offset});
    }
    return gradient;
  }

  /// Dropped elements get no gradient: a product with the mask.
  Gradient operator()(const Dropout& shape) const {
    return one("gradient", elementwise(BinaryKind::mul, shape.input, shape.input),
               {output_gradient, result(0)});
  }

  /// Rotates back: the same call with other sines.
  Gradient operator()(const Rotary& shape) const {
    std::vector<GradientSource> operands{output_gradient};
    for (int index = 1; index < static_cast<int>(shape.inputs().size()); ++index) {
      operands.push_back(operand(index));
    }
    return one("gradient", {shape, {}}, std::move(operands));
  }

  /// The output's gradient where the alternative was selected, 0 elsewhere.
  Gradient operator()(const Select& shape) const {
    Gradient gradient;
    const Dims output = shape.output();
    int place = 1;
    for (const bool first : {true, false}) {
      const Select::Alternative& own = first ? shape.a : shape.b;
      if (own.value) continue;
      const int index = place++;
      if (!wanted_[static_cast<std::size_t>(index)]) continue;
      const Select::Alternative taken{.dims = output};
      const Select::Alternative zero{.dims = {}, .constant = false, .value = 0.0F};
      Select back{.condition = shape.condition,
                  .constant_condition = shape.constant_condition,
                  .a = first ? taken : zero,
                  .b = first ? zero : taken};
      gradient.calls.push_back({.name = first ? "gradient_a" : "gradient_b",
                                .problem = {std::move(back), {}},
                                .operands = {operand(0), output_gradient},
                                .of = {-1}});
      add_sum(gradient, "gradient_sum", output, own.dims,
              static_cast<int>(gradient.calls.size()) - 1, index);
    }
    return gradient;
  }

  template <class Other>
  Gradient operator()(const Other& shape) const {
    return unsupported("the gradient of '" + std::string(shape.op()) + "' is not measured here");
  }

 private:
  static Gradient one(const char* name, Problem problem, std::vector<GradientSource> operands) {
    return {.calls = {{name, std::move(problem), std::move(operands), {0}}}};
  }

  static Gradient moved(const Copy& copy) {
    Gradient gradient = one("gradient", {copy.canonical(), {}}, {output_gradient});
    gradient.calls[0].cost = Cost::movement;
    return gradient;
  }

  const std::vector<bool>& wanted_;
};

}  // namespace

Gradient gradient(const Call& forward, const std::vector<bool>& wanted) {
  if (std::ranges::none_of(wanted, [](bool one) { return one; })) return {};
  if (forward.problem.epilogue != Epilogue{}) {
    return unsupported("the gradient of '" + std::string(op(forward.problem)) +
                       "' with steps behind it is not measured here");
  }
  return std::visit(Rules(wanted), forward.problem.shape);
}

}  // namespace benanza::training
