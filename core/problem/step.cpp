#include "core/problem/step.h"

#include <array>

namespace benanza {
namespace {

struct CombineRow {
  std::string_view word;
  CombineKind kind;
  bool reversed;
};

constexpr std::array<CombineRow, 8> rows{{{"add", CombineKind::add, false},
                                          {"sub", CombineKind::sub, false},
                                          {"mul", CombineKind::mul, false},
                                          {"div", CombineKind::div, false},
                                          {"max", CombineKind::max, false},
                                          {"min", CombineKind::min, false},
                                          {"rsub", CombineKind::sub, true},
                                          {"rdiv", CombineKind::div, true}}};

}  // namespace

std::string_view Combine::word() const {
  for (const CombineRow& row : rows) {
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
  for (const CombineRow& row : rows) {
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

bool broadcasts_to(const Dims& y, const Dims& output) {
  if (y.size() != output.size()) return false;
  for (std::size_t axis = 0; axis < y.size(); ++axis) {
    if (y[axis] != 1 && y[axis] != output[axis]) return false;
  }
  return true;
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

}  // namespace benanza
