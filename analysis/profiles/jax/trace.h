#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/profiles/kineto/trace.h"

namespace benanza::analysis::jax {

using kineto::Index;
using kineto::no_index;

/// [start, end) of one run of the program, in microseconds.
using StepWindow = std::pair<double, double>;

/// One run of an instruction, or of one of its kernels. Times are in microseconds.
struct InstructionRun {
  double start = 0;
  double duration = 0;
  /// When the host launched it; no number if the trace does not show it.
  double launched = std::numeric_limits<double>::quiet_NaN();
  /// Into Trace::names. Work of no instruction has none, instructions of a processor no kernel.
  Index instruction = no_index;
  Index kernel = no_index;
  /// 0 for the first.
  std::uint16_t device = 0;

  /// The time that says to which step it belongs.
  double placed() const { return launched == launched ? launched : start; }
};

/// What XLA's profiler wrote, of JAX or TensorFlow.
struct Trace {
  std::vector<std::string> names{};
  /// Those that the profiler annotated, ascending.
  std::vector<StepWindow> steps{};
  /// Sorted by placed(). With an accelerator, only its own: the host's are launches.
  std::vector<InstructionRun> runs{};
  std::uint16_t devices = 0;
  /// Names of the programs.
  std::set<std::string> modules{};
  /// No instruction of XLA ran, only operators of TensorFlow.
  bool is_tensorflow = false;
  /// What the trace lacks, one sentence each.
  std::vector<std::string> remarks{};

  /// The runs of the step. Those of all devices.
  std::span<const InstructionRun> runs_in(const StepWindow& step) const;
};

/// Reads a trace event by event. Throws Error, one line, if it has no events.
Trace read_trace(const ProfileFile& document);

}  // namespace benanza::analysis::jax
