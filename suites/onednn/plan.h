#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suites/onednn/api/api.h"
#include "suites/onednn/variant_context.h"

namespace benanza::onednn {

/// A tensor of the problem as an argument of the library's call. `values` says where each element
/// of the library's tensor lies in the problem's row-major floats.
struct Argument {
  int id = 0;  // DNNL_ARG_*
  Memory::desc values;
  /// Where no strides can say it: makes the floats that `values` describes of the problem's (of a
  /// result: the other way round). Done when values are uploaded or downloaded.
  std::function<std::vector<float>(std::span<const float>)> rearrange = nullptr;
  /// The call finds it in its result, and overwrites it.
  bool in_result = false;
  /// Of a result: the call adds to what is there.
  bool accumulates = false;
};

/// An argument that the library wants and the problem does not have: `value` in every element.
struct Fill {
  int id = 0;  // DNNL_ARG_*
  float value = 0;
};

/// A forward call whose gradient needs what it leaves behind (places of maxima, say): run outside
/// of any time, whenever the last of its operands is given. The gradient's call reads, of the
/// operands and of the results (DNNL_ARG_*), those that it has arguments for.
struct Preparation {
  Implementation call;
  /// Ascending, of the plan's; they and the plan's fills are all that the call reads.
  std::vector<std::size_t> operands;
  std::vector<int> results;
};

/// A call that computes the problem. `operands` are in the order of inputs(problem).
struct Plan {
  Implementation implementation;
  std::vector<Argument> operands;
  Argument result;
  /// Results that follow the first one in the problem's floats.
  std::vector<Argument> further_results = {};
  std::vector<Fill> fills = {};
  std::vector<Constant> constants = {};
  std::optional<Preparation> preparation = std::nullopt;
};

/// One way to ask the library: makes the descriptor, throws dnnl::error or Unsupported if refused.
/// `prefix` sets its implementations' names apart from those of the problem's other ways.
struct Attempt {
  std::string prefix;
  std::function<Plan()> plan;
  /// Why the implementation that `plan` is at does not compute this problem although the library
  /// offers it; empty for all that do.
  std::function<std::string(const Plan& plan)> defect = nullptr;
};

}  // namespace benanza::onednn
