#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile.h"

/// XLA's own text of a compiled program: `jax.jit(f).lower(...).compile().as_text()`.
namespace benanza::analysis::jax {

struct Instruction {
  std::string name{};
  /// "f32"; of a tuple those of its first element: what a library's call computes, beside its
  /// scratch memory.
  std::string type{};
  Dims dims{};
  /// "convolution", "dot", "fusion", "custom-call", ...
  std::string opcode{};
  std::vector<std::string> operands{};
  /// What stands behind the operands: "window={size=3x3 pad=1_1x1_1}, dim_labels=...".
  std::string attributes{};
};

/// The instructions of all computations, by name: names are unique in a program.
class Program {
 public:
  /// Lines that are no instruction are passed over.
  explicit Program(std::string_view text);

  /// Null where there is none.
  const Instruction* find(std::string_view name) const;
  /// The convolutions and products of an instruction, calls of cuDNN and cuBLAS and those of what
  /// it calls included, in their order. Zeros that an instruction before a convolution puts around
  /// its input are the convolution's pads. The key of one that no problem says (a dilated input, a
  /// product over several axes) is empty.
  std::vector<Part> parts(std::string_view name) const;
  std::size_t size() const { return instructions_.size(); }

 private:
  Part convolution(const Instruction& call) const;
  Part library_call(const Instruction& call) const;
  /// The padding that makes the value, where nothing else does; null where it is none.
  const Instruction* padding_of(const Instruction& value) const;
  void add_parts(const Instruction& instruction, int depth, std::vector<Part>& parts) const;

  std::map<std::string, Instruction, std::less<>> instructions_;
  /// Names of the instructions of a computation.
  std::map<std::string, std::vector<std::string>, std::less<>> computations_;
};

}  // namespace benanza::analysis::jax
