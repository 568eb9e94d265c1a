#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"
#include "core/problem/problem.h"

namespace benanza::analysis::kineto {

/// Arguments of an operator's call by position, as typed values.
class Call {
 public:
  explicit Call(const Op& op) : op_(op) {}

  bool is_tensor(std::size_t index) const { return !dims(index).empty(); }
  /// Empty for what is no tensor, and for a scalar.
  const Dims& dims(std::size_t index) const;
  const std::vector<Dims>& list(std::size_t index) const;
  std::string_view type(std::size_t index) const;
  /// "[2, 2]" or "2"; empty if it was not recorded or is no list of integers.
  std::optional<Dims> integers(std::size_t index) const;
  std::optional<std::int64_t> integer(std::size_t index) const;
  std::optional<float> real(std::size_t index) const;
  bool truth(std::size_t index) const;

 private:
  const Op& op_;
};

/// A part that solves `shape`; one without a problem, with that output, if `shape` is empty or no
/// valid problem.
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

/// A part of known output alone.
inline Part plain(std::string_view op, const Dims& result) {
  return {.op = std::string(op), .problem = "", .output = result};
}

inline Part optional_part(Part part) {
  part.optional = true;
  return part;
}

using Parts = std::vector<Part> (*)(const Call& call);

/// Operator names ("aten::" left out), with or without a trailing underscore, and what they do.
struct Entry {
  std::string_view name;
  Parts parts;
};

/// The tables that make up what is_known() knows.
const std::vector<Entry>& window_operators();
const std::vector<Entry>& product_operators();
const std::vector<Entry>& other_operators();

}  // namespace benanza::analysis::kineto
