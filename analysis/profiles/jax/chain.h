#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/jax/hlo.h"
#include "core/problem/problem.h"

namespace benanza::analysis::jax {

/// An instruction, and those inside of the computation that it calls, if it does.
class Body {
 public:
  Body(const Program& program, const Instruction& instruction);

  const Instruction& root() const { return *inside_.back(); }
  const std::vector<const Instruction*>& instructions() const { return inside_; }

  /// True for a value that the call reads: a parameter, or anything made elsewhere.
  bool is_read(const Instruction& value) const;

  /// Null if there is none.
  const Instruction* operand(const Instruction& value, std::size_t at) const;

  /// The tensors that the call reads, numbers excluded.
  std::vector<const Instruction*> tensors() const;

 private:
  const Program& program_;
  std::vector<const Instruction*> inside_;
};

/// True for functions of one element, or of one element of each of several tensors.
bool is_pointwise(std::string_view opcode);
/// True for what only moves elements, or makes copies of them.
bool moves(std::string_view opcode);

/// A body that one elementwise call does exactly.
struct PointwiseCall {
  /// "Relu"; "Elementwise" for several steps.
  std::string op;
  /// "add/1x64x56x56_1x64x56x56_relu". Tensors in another order of elements have the same problem.
  std::string problem;
};
/// Empty if it is not one chain of steps, each with a number or a tensor that no other step reads,
/// or if the chain is subtracted from a tensor or divides it.
std::optional<PointwiseCall> pointwise_call(const Body& body);

/// The key of a problem; empty if there is no such problem.
std::string key_or_nothing(const Problem& problem);

}  // namespace benanza::analysis::jax
