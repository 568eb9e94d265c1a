#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/document.h"
#include "core/problem/text.h"

/// PyTorch's own trace (Kineto, in Chrome's format). All times are microseconds of one clock.
namespace benanza::analysis::kineto {

/// One argument of an operator's call.
struct Argument {
  /// Shape, if it is a tensor.
  Dims dims{};
  /// Shapes, if it is a list of tensors.
  std::vector<Dims> list{};
  /// "float", "c10::Half", "ScalarList", ...; empty if it has none.
  std::string type{};
  /// Text of a number, a boolean or a list of them; otherwise empty.
  std::string value{};
};

/// One call of an operator on the host.
struct Op {
  std::string name{};
  double start = 0;
  double end = 0;
  std::vector<Argument> arguments{};
  /// Index of the operator that called it.
  std::optional<std::size_t> parent{};
  /// True if the trace has no kernel for one of its launches.
  bool lacks_kernels = false;
};

/// A kernel, copy or fill. Without a GPU, an operator's own time on the host, without that of its
/// callees: `end` is the start plus that time.
struct Work {
  std::string name{};
  double start = 0;
  double end = 0;
  /// When the launch call started; empty if the trace does not show it.
  std::optional<double> launched{};
  /// Name of the launch call; may be empty.
  std::string launcher{};
  /// The innermost operator that launched it.
  std::optional<std::size_t> op{};
};

struct Trace {
  /// Sorted by start; callers before their callees.
  std::vector<Op> ops{};
  /// Sorted by start.
  std::vector<Work> work{};
  /// [start, end) of the steps of PyTorch's profiler, sorted by start.
  std::vector<std::pair<double, double>> steps{};
  /// When the host started to wait for the GPU (calls with "Synchronize" in their name), sorted.
  std::vector<double> waits{};
  std::string device{};
  /// True if the trace has no GPU work: the operators ran on the host.
  bool on_processor = false;
};

/// Reads the trace `root` of `document`. Throws Error, one line, if it has no operators or no
/// shapes, or if the process used CUDA but the trace has no GPU work.
Trace read_trace(const nlohmann::json& root, const Document& document);

}  // namespace benanza::analysis::kineto
