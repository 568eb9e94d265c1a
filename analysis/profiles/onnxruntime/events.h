#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/text.h"

/// What ONNX Runtime calls operators in its profiles.
namespace benanza::analysis {
class ProfileFile;
}

/// What ONNX Runtime's own profiler writes. All times are microseconds.
namespace benanza::analysis::onnxruntime {

/// Returns whether the text ended so, and more was before it: then without the ending.
bool remove_suffix(std::string& text, std::string_view suffix);

/// The model's node or tensor: ONNX Runtime names the results of its optimisers after their first
/// node ("fused conv1", "fc/MatMulAddFusion") or, in its blocked layout, after the last tensor they
/// compute ("r_nchwc").
std::string origin_of(std::string name);

/// Of a convolution that ONNX Runtime puts in the place of one elementwise layer in its blocked
/// layout, the tensor that this layer computes ("r_bn_nchwc" does the normalization of "r");
/// otherwise empty. A model's tensor may end so, too: origin_of() goes first.
std::string replaced_tensor(const std::string& name);

/// True if the name says that more than the layer it names is done: its activation, or the sum
/// after a product.
bool does_next(std::string_view name);
/// True if the name says that this ends in its activation.
bool does_activation(std::string_view name);

/// The ONNX operator: "Conv" for "FusedConv".
std::string onnx_op(std::string op);

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
