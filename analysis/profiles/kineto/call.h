#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"
#include "core/problem/problem.h"

namespace benanza::analysis::kineto {

/// The arguments of an operator's call as typed values, by position.
class Call {
 public:
  explicit Call(const Op& op) : op_(op) {}

  bool is_tensor(std::size_t index) const { return !dims(index).empty(); }
  /// Empty if it is a scalar or not a tensor.
  const Dims& dims(std::size_t index) const;
  const std::vector<Dims>& list(std::size_t index) const;
  std::string_view type(std::size_t index) const;
  /// Parses "[2, 2]" or "2"; empty if it was not recorded or is not a list of integers.
  std::optional<Dims> integers(std::size_t index) const;
  std::optional<std::int64_t> integer(std::size_t index) const;
  std::optional<float> real(std::size_t index) const;
  bool truth(std::size_t index) const;
  /// Parses "[True, False]"; empty if it was not recorded.
  std::vector<bool> truths(std::size_t index) const;
  std::size_t size() const { return op_.arguments.size(); }
  /// An argument of nothing if there are fewer.
  Argument argument(std::size_t index) const;

 private:
  const Op& op_;
};

/// A text as an argument of a template.
template <std::size_t size>
struct Literal {
  char text[size];
  constexpr Literal(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

/// Returns a part that solves `shape`; if that is empty or not a valid problem, a part without a
/// problem whose output is `result`.
template <class T>
Part part(std::string_view op, const std::optional<T>& shape, const Dims& result = {}) {
  Part made{.op = std::string(op), .problem = "", .output = result};
  if (!shape) return made;
  try {
    const Problem problem{.shape = *shape, .epilogue = {}};
    made.output = output(problem);
    made.problem = key(parse(key(problem)));
  } catch (const std::exception&) {
    made.problem.clear();
    made.output = result;
  }
  return made;
}

/// Returns a part without a problem.
inline Part plain(std::string_view op, const Dims& result) {
  return {.op = std::string(op), .problem = "", .output = result};
}

inline Part optional_part(Part part, StepOperand operand = StepOperand::any) {
  part.optional = true;
  part.operand = operand;
  return part;
}

using Parts = std::vector<Part> (*)(const Call& call);

/// An operator's name, without "aten::" and a trailing underscore, and the parts it does.
struct Entry {
  std::string_view name;
  Parts parts;
};

/// The tables in which is_known() looks.
std::span<const Entry> window_operators();
std::span<const Entry> product_operators();
std::span<const Entry> other_operators();
std::span<const Entry> gradient_operators();

}  // namespace benanza::analysis::kineto
