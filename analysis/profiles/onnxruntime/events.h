#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/problem/text.h"

namespace benanza::analysis {
class ProfileFile;
}

/// What ONNX Runtime's own profiler writes. All times are microseconds.
namespace benanza::analysis::onnxruntime {

using Index = std::uint32_t;

/// An operator with its shapes, as its runs have it in common.
struct Operator {
  std::string name;
  std::string index;
  std::string op;
  std::vector<Dims> inputs{};
  std::vector<Dims> outputs{};
  /// Element type of the first operand; empty if not stated.
  std::string type{};

  auto operator<=>(const Operator&) const = default;
  bool has_body() const { return op == "If" || op == "Loop" || op == "Scan"; }
};

/// One run of an operator. A profile has millions.
struct Event {
  double start = 0;
  double end = 0;
  /// Exclusive time: without the operators in its body.
  double microseconds = 0;
  Index op = 0;
  /// Process and thread it ran on.
  Index thread = 0;
};

/// [start, end) of one run of the model, and the thread that asked for it.
struct RunWindow {
  double start = 0;
  double end = 0;
  Index thread = 0;
};

/// What ONNX Runtime's profiler wrote.
struct Recorded {
  std::vector<Operator> ops{};
  std::vector<Event> events{};
  std::vector<RunWindow> runs{};
  /// Execution providers other than the CPU's. With an accelerator, an event lasts as long as the
  /// host takes to launch the operator, unless the provider waits.
  std::set<std::string> accelerators{};
  /// Operators that end before they begin.
  std::size_t negative = 0;
  /// Operators and runs that the file tells again; they are left out.
  std::size_t told_twice = 0;
};

/// Reads a profile's events. Throws JsonError if one lacks what it must have.
Recorded read_events(const ProfileFile& document);

}  // namespace benanza::analysis::onnxruntime
