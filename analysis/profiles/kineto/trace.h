#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/document.h"
#include "core/problem/text.h"

/// PyTorch's own trace (Kineto, in Chrome's format). Times are microseconds of one clock.
namespace benanza::analysis::kineto {

/// One argument of an operator's call.
struct Argument {
  /// Of a tensor.
  Dims dims{};
  /// Of a list of tensors.
  std::vector<Dims> list{};
  /// "float", "c10::Half", "ScalarList", ...; empty if it has none.
  std::string type{};
  /// Of a number, a truth value or a list of them, as text; else empty.
  std::string value{};
};

/// One call of an operator on the host.
struct Op {
  std::string name{};
  double start = 0;
  double end = 0;
  std::vector<Argument> arguments{};
  /// The operator that called it.
  std::optional<std::size_t> parent{};
};

/// A kernel, copy or fill; where no GPU worked, what an operator of the host did itself, without
/// what it called: from its start, as long as that took altogether.
struct Work {
  std::string name{};
  double start = 0;
  double end = 0;
  /// When the host began to launch it; empty if the trace does not say.
  std::optional<double> launched{};
  /// Name of the call that launched it; may be empty.
  std::string launcher{};
  /// The innermost operator that launched it.
  std::optional<std::size_t> op{};
};

struct Trace {
  /// By start; callers before what they call.
  std::vector<Op> ops{};
  /// By start.
  std::vector<Work> work{};
  /// [start, end) of what PyTorch's scheduler calls a step; by start.
  std::vector<std::pair<double, double>> steps{};
  /// When the host began to wait for the whole GPU.
  std::vector<double> waits{};
  std::string device{};
  /// There was no GPU at work: the host was.
  bool on_processor = false;
};

/// `root`: the trace, from `document`. Throws Error, one line, if it has no operators or no shapes,
/// or no GPU work where the process used CUDA.
Trace read_trace(const nlohmann::json& root, const Document& document);

}  // namespace benanza::analysis::kineto
