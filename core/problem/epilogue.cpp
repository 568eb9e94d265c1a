#include "core/problem/epilogue.h"

#include <array>

namespace benanza {
namespace {

struct CombineRow {
  std::string_view word;
  CombineKind kind;
  bool reversed;
};

constexpr std::array<CombineRow, 8> combine_rows{{{"add", CombineKind::add, false},
                                                  {"sub", CombineKind::sub, false},
                                                  {"mul", CombineKind::mul, false},
                                                  {"div", CombineKind::div, false},
                                                  {"max", CombineKind::max, false},
                                                  {"min", CombineKind::min, false},
                                                  {"rsub", CombineKind::sub, true},
                                                  {"rdiv", CombineKind::div, true}}};

/// Axes [begin, end) of a tensor.
struct Axes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::int64_t count(const Dims& dims, Axes axes) {
  std::int64_t product = 1;
  for (std::size_t axis = axes.begin; axis < axes.end; ++axis) product *= dims[axis];
  return product;
}

/// Advances to the next groups of axes with equal element counts; false if there are none.
bool next_group(const Dims& a, Axes& of_a, const Dims& b, Axes& of_b) {
  of_a = {of_a.end, of_a.end};
  of_b = {of_b.end, of_b.end};
  if (of_a.end < a.size()) ++of_a.end;
  if (of_b.end < b.size()) ++of_b.end;
  while (count(a, of_a) != count(b, of_b)) {
    const bool a_is_behind = count(a, of_a) < count(b, of_b);
    Axes& behind = a_is_behind ? of_a : of_b;
    if (behind.end == (a_is_behind ? a : b).size()) return false;
    ++behind.end;
  }
  return true;
}

}  // namespace

std::string_view Combine::word() const {
  for (const CombineRow& row : combine_rows) {
    if (row.kind == kind && row.reversed == reversed) return row.word;
  }
  // A reversed commutative operation.
  return Combine{.kind = kind, .y = {}}.word();
}

void Combine::write(KeyWriter& writer) const {
  writer.word(word()).dims("y", y);
  if (constant) writer.word("w");
}

std::optional<Combine> Combine::read(KeyReader& reader) {
  for (const CombineRow& row : combine_rows) {
    if (!reader.accept(row.word)) continue;
    Combine step{.kind = row.kind, .y = {}, .reversed = row.reversed};
    step.y = reader.dims("y");
    step.constant = reader.accept("w");
    return step;
  }
  return std::nullopt;
}

void write(const Step& step, KeyWriter& writer) {
  if (const auto* function = std::get_if<Activation>(&step)) {
    function->write_function(writer);
  } else {
    std::get<Combine>(step).write(writer);
  }
}

std::string_view word(const Step& step) {
  const auto* function = std::get_if<Activation>(&step);
  return function != nullptr ? function->op() : std::get<Combine>(step).word();
}

std::vector<Step> read_steps(KeyReader& reader) {
  std::vector<Step> steps;
  while (!reader.at_end()) {
    if (const auto combine = Combine::read(reader)) {
      steps.emplace_back(*combine);
    } else if (const auto function = Activation::read_function(reader)) {
      steps.emplace_back(*function);
    } else {
      break;
    }
  }
  return steps;
}

bool is_smooth_step(const Activation& function) {
  switch (function.kind) {
    case ActivationKind::exp:
    case ActivationKind::log:
    case ActivationKind::sqrt:
    case ActivationKind::floor:
    case ActivationKind::ceil:
    case ActivationKind::round:
    case ActivationKind::sign:
      return false;
    case ActivationKind::pow:
      return function.alpha == 2 || function.alpha == 3;
    default:
      return true;
  }
}

std::optional<Dims> refitted(const Dims& y, const Dims& from, const Dims& to) {
  if (y.size() != from.size()) return std::nullopt;
  if (from == to) return y;
  Dims fitted(to.size(), 1);
  Axes of_from;
  Axes of_to;
  while (of_from.end < from.size() || of_to.end < to.size()) {
    if (!next_group(from, of_from, to, of_to)) return std::nullopt;
    const std::int64_t elements = count(y, of_from);
    if (elements == 1) continue;
    if (elements != count(from, of_from)) return std::nullopt;
    for (std::size_t axis = of_to.begin; axis < of_to.end; ++axis) {
      fitted[axis] = to[axis];
    }
  }
  return fitted;
}

void Epilogue::write(KeyWriter& writer) const {
  if (bias) writer.word("bias");
  if (residual) writer.word("residual");
  if (activation) activation->write_function(writer);
  for (const Step& step : steps) benanza::write(step, writer);
}

Epilogue Epilogue::read(KeyReader& reader, bool of_product) {
  Epilogue epilogue;
  if (of_product) {
    epilogue.bias = reader.accept("bias");
    epilogue.residual = reader.accept("residual");
  }
  epilogue.steps = read_steps(reader);
  return epilogue;
}

std::vector<Operand> Epilogue::step_operands() const {
  std::vector<Operand> operands;
  for (const Step& step : steps) {
    const auto* combine = std::get_if<Combine>(&step);
    if (combine == nullptr) continue;
    const bool divides = combine->kind == CombineKind::div && !combine->reversed;
    operands.push_back({.name = "y",
                        .dims = combine->y,
                        .role = combine->constant ? Role::weights : Role::data,
                        .domain = divides ? Domain::positive : Domain::any});
  }
  return operands;
}

Epilogue canonical(Epilogue epilogue, const Dims& output, const Dims& bias_extents) {
  while (!epilogue.activation && !epilogue.steps.empty()) {
    const Step& first = epilogue.steps.front();
    const auto* function = std::get_if<Activation>(&first);
    const auto* combine = std::get_if<Combine>(&first);
    const bool adds = combine != nullptr && combine->kind == CombineKind::add;
    if (function != nullptr && is_epilogue(function->kind)) {
      epilogue.activation = *function;
    } else if (adds && !epilogue.bias && combine->constant && combine->y == bias_extents) {
      epilogue.bias = true;
    } else if (adds && !epilogue.residual && !combine->constant && combine->y == output) {
      epilogue.residual = true;
    } else {
      break;
    }
    epilogue.steps.erase(epilogue.steps.begin());
  }
  return epilogue;
}

bool is_epilogue(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
    case ActivationKind::clip:
    case ActivationKind::elu:
    case ActivationKind::sigmoid:
    case ActivationKind::tanh:
    case ActivationKind::gelu:
    case ActivationKind::gelu_tanh:
    case ActivationKind::hard_swish:
    case ActivationKind::swish:
    case ActivationKind::mish:
      return true;
    default:
      return false;
  }
}

}  // namespace benanza
