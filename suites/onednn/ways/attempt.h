#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/way.h"
#include "suites/onednn/api/api.h"
#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/api/variant_context.h"

namespace benanza::onednn {

/// A tensor of the problem as an argument of the library's call. `values` describes where each
/// element of the library's tensor lies in the problem's row-major floats.
struct Argument {
  int id = 0;  // DNNL_ARG_*
  Memory::desc values;
  /// For orders that strides cannot express: converts the problem's floats to those that `values`
  /// describes (for a result, the reverse). Called on upload or download.
  std::function<std::vector<float>(std::span<const float>)> rearrange = nullptr;
  /// The format of the same bytes as a tensor of the axes of `values`, where the call describes
  /// them by other axes.
  std::optional<Memory::desc> seen_as = std::nullopt;
  /// The call reads it from its result's memory, and overwrites it.
  bool in_result = false;
  /// For a result: the call adds to its previous contents.
  bool accumulates = false;
};

/// An argument that the library requires and the problem does not have, filled with `value`.
struct Fill {
  int id = 0;  // DNNL_ARG_*
  float value = 0;
};

/// An argument that reads operand `operand` once more, in the format that the library expects of
/// it, which holds the same elements in the same order.
struct Again {
  int id = 0;  // DNNL_ARG_*
  std::size_t operand = 0;
  /// What the call before the plan's makes of the operand, not the operand.
  bool made = false;
};

/// A call from DNNL_ARG_SRC to DNNL_ARG_DST beside the plan's, made for the format in which that
/// one has the tensor.
using Beside = std::function<Implementation(const Memory::desc& format)>;

/// A call that runs before the plan's, timed with it: the plan's call reads the result instead of
/// the operand. Both may describe the same bytes by different extents.
struct Before {
  std::size_t operand = 0;
  Beside call;
  /// Other arguments (DNNL_ARG_*) that read the operand.
  std::vector<int> again = {};
};

/// A forward call that produces data for a gradient (the positions of maxima, for example). It runs
/// untimed whenever the last of its operands is uploaded. The gradient's call reads those of its
/// operands and results (DNNL_ARG_*) that it has arguments for.
struct Preparation {
  Implementation call;
  /// Indices into the plan's operands, ascending; the call reads only these and the plan's fills.
  std::vector<std::size_t> operands;
  std::vector<int> results;
};

/// A primitive that computes the problem. `operands` are in the order of inputs(problem).
struct Plan {
  Implementation implementation;
  std::vector<Argument> operands;
  Argument result;
  /// Results after the first one in the problem's floats.
  std::vector<Argument> further_results = {};
  std::vector<Fill> fills = {};
  std::vector<Again> again = {};
  std::vector<Constant> constants = {};
  std::vector<Before> before = {};
  /// Runs after the plan's call, timed with it: makes the problem's result of the call's.
  Beside after = nullptr;
  std::optional<Preparation> preparation = std::nullopt;
  /// Of the row.
  Facts facts = {};
};

/// One way to ask the library for a problem: creates the plan, or throws dnnl::error or Unsupported
/// if refused. Each implementation that the library then offers is a way. `prefix` distinguishes
/// their names from those of the problem's other attempts.
struct Attempt {
  std::string prefix;
  std::function<Plan()> plan;
  /// What the attempt demands of all its implementations.
  harness::Traits traits = {};
  /// Whether an implementation, by the library's name, belongs to this attempt; if not set, all do.
  std::function<bool(std::string_view implementation)> wanted = nullptr;
  /// Returns why the plan's current implementation computes this problem incorrectly although the
  /// library offers it; empty if it is correct.
  std::function<std::string(const Plan& plan)> defect = nullptr;
  /// Whether an implementation that the library calls "ref" is code that nobody has made fast.
  bool has_reference_code = true;
};

}  // namespace benanza::onednn
