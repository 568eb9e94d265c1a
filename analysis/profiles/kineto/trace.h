#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/text.h"

namespace benanza::analysis {
class ProfileFile;
}

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
  /// Of a tensor that multiplies(): the last two axes are in the other order in memory.
  bool transposed = false;
  /// Of the same: axes before these along which it has one matrix only (stride 0).
  std::vector<std::size_t> repeated{};
};

/// An operator with its arguments, as calls have it in common.
struct Op {
  std::string name{};
  std::vector<Argument> arguments{};
};

/// A trace has millions of the records below: what repeats in them is an index.
using Index = std::uint32_t;
inline constexpr Index no_index = std::numeric_limits<Index>::max();

/// An absent number of the trace's.
inline constexpr std::int64_t no_id = std::numeric_limits<std::int64_t>::min();

/// One call of an operator on the host.
struct OpCall {
  double start = 0;
  double end = 0;
  /// By which some of the work is linked to it.
  std::int64_t external = no_id;
  Index op = 0;
  Index thread = 0;
  /// The call within which it ran, if any.
  Index parent = no_index;
  std::uint16_t process = 0;
  /// True if the trace has no kernel for one of its launches, or no time of one of its kernels.
  bool lacks_kernels = false;
};

/// A kernel, copy or fill. Without a GPU, a call's own time on the host, without that of its
/// callees: `end` is the start plus that time.
struct Work {
  double start = 0;
  double end = 0;
  /// When the launch call started; no number if the trace does not show it.
  double launched = std::numeric_limits<double>::quiet_NaN();
  Index name = 0;
  /// Name of the launch call, if the trace shows it.
  Index launcher = no_index;
  /// The innermost call that launched it, if any.
  Index call = no_index;
  std::uint16_t process = 0;

  bool has_launch() const { return !std::isnan(launched); }
};

/// A stretch of a process's time, [start, end).
struct Stretch {
  double start = 0;
  double end = 0;
  std::uint16_t process = 0;
};

struct Trace {
  std::vector<Op> ops{};
  std::vector<std::string> names{};
  /// Sorted by start; callers before their callees.
  std::vector<OpCall> calls{};
  /// Sorted by start.
  std::vector<Work> work{};
  /// Steps of PyTorch's profiler, sorted by start.
  std::vector<Stretch> steps{};
  /// When the host waited for the GPU (calls with "Synchronize" in their name), sorted by start.
  std::vector<Stretch> waits{};
  /// Processes that called operators; at least one.
  std::uint16_t processes = 1;
  std::string device{};
  /// True if the trace has no GPU work: the operators ran on the host.
  bool on_processor = false;
  /// What the trace lacks, one sentence each.
  std::vector<std::string> remarks{};

  const Op& op_of(Index call) const { return ops[calls[call].op]; }
};

/// What is said of a process that uses several GPUs.
std::string of_several_devices(std::size_t count);

/// True for a call that launches a CUDA graph.
bool launches_graph(std::string_view name);

/// Reads a trace. Throws Error, one line, if it has no operators or no shapes, or if the process
/// used CUDA but the trace has no GPU work.
Trace read_trace(const ProfileFile& document);

}  // namespace benanza::analysis::kineto
